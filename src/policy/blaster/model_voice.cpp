#include "policy/blaster/model_voice.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::policy {
namespace {

using knowledge::Change;

constexpr double k_largest_shift = 1;
constexpr std::size_t k_most_updates = 50;
constexpr std::size_t k_most_failures = 3;

// The object in an answer, whatever stands around it.
Result<Json> object_in(const std::string& answer)
{
  const std::size_t begin = answer.find('{'), end = answer.rfind('}');
  const Json json = begin < end && end != std::string::npos
                      ? Json::parse(answer.substr(begin, end - begin + 1), nullptr, false)
                      : Json(Json::value_t::discarded);
  if (!json.is_object()) {
    return fail("the model's answer holds no JSON object", "what is known decides alone");
  }
  return json;
}

std::string speed(double gain)
{
  return fmt::format("{:.2f}x", std::exp(gain));
}

std::string state_text(const ProfiledState& state)
{
  const knowledge::Signature& of = state.signature;
  std::string text = fmt::format("State {}: {} {} of {} on {}\nLevels: {}\n", state.id.substr(0, 8), of.shape,
                                 of.kernel_class, of.types, of.device_name, knowledge::traits_text(of));
  for (const std::string& sentence : state.diagnosis) {
    text += "- " + sentence + "\n";
  }
  return text;
}

// The whole id of a state that a finding is about; nothing for one that was not shown.
std::optional<std::string> shown_state(std::span<const Finding> findings, const std::string& prefix)
{
  if (prefix.empty()) {
    return "";
  }
  const auto found = std::ranges::find_if(findings, [&](const Finding& one) { return one.state.starts_with(prefix); });
  return found == findings.end() ? std::nullopt : std::optional(found->state);
}

std::optional<Change> change_in(const Json& json, std::span<const Finding> findings)
{
  const std::string kind = json.value("kind", "");
  Change change;
  change.kind = kind == "prediction"   ? Change::Kind::prediction
                : kind == "confidence" ? Change::Kind::confidence
                : kind == "deprecate"  ? Change::Kind::deprecate
                : kind == "restore"    ? Change::Kind::restore
                                       : Change::Kind::note;
  change.technique = json.value("technique", "");
  const auto state = shown_state(findings, json.value("state", ""));
  const bool shown =
    std::ranges::any_of(findings, [&](const Finding& one) { return one.technique == change.technique; });
  const bool everywhere = state && state->empty();
  if (change.kind == Change::Kind::note || !state || !shown || (change.kind == Change::Kind::deprecate && everywhere)) {
    return std::nullopt;
  }
  change.state = *state;
  const double value = json.value("value", 0.0);
  change.value = change.kind == Change::Kind::prediction   ? std::clamp(value, -k_largest_shift, k_largest_shift)
                 : change.kind == Change::Kind::confidence ? std::clamp(value, 0.0, 1.0)
                                                           : 0;
  change.text = printable(json.value("why", ""));
  for (const Finding& one : findings) {
    if (one.technique == change.technique && (everywhere || one.state == change.state)) {
      change.evidence.insert(change.evidence.end(), one.evidence.begin(), one.evidence.end());
    }
  }
  return change;
}

} // namespace

Result<std::map<std::string, double>> relevance(const BlasterSetting& setting, const ProfiledState& state,
                                                const std::vector<std::string>& done, const knowledge::Answer& known)
{
  std::string task =
    state_text(state)
    + fmt::format("Steps carried out: {}\n\nSteps that may follow:\n", done.empty() ? "none" : join(done, ", "));
  std::set<std::string> names;
  for (const knowledge::Estimate& one : known.estimates) {
    task += fmt::format("- {}: expected {} [{} to {}], {} in the end, {:.0f} % fail; {}\n", one.technique,
                        speed(one.gain.value), speed(one.gain.interval.low), speed(one.gain.interval.high),
                        speed(one.returned), 100 * one.failing, one.why);
    names.insert(one.technique);
  }
  HONE_TRY(const std::string answer, setting.ask(setting.rank_prompt, task));
  HONE_TRY(const Json object, object_in(answer));
  std::map<std::string, double> all;
  for (const auto& [name, value] : object.items()) {
    if (names.contains(name) && value.is_number()) {
      all[name] = std::clamp(value.get<double>(), 0.0, 1.0);
    }
  }
  return all;
}

Result<std::vector<Change>> update_by_model(knowledge::Base& base, const BlasterSetting& setting,
                                            std::span<const Finding> findings, const std::string& run, int round)
{
  std::string task = fmt::format("Round {}:\n", round);
  for (const Finding& one : findings) {
    task += fmt::format("- state {}, {}\n", one.state.substr(0, 8), to_text(one));
  }
  HONE_TRY(const std::string answer, setting.ask(setting.update_prompt, task));
  HONE_TRY(const Json object, object_in(answer));
  std::vector<Change> made;
  try {
    Change note;
    note.text = printable(object.value("analysis", ""));
    if (!note.text.empty()) {
      made.push_back(std::move(note));
    }
    for (const Json& one : object.value("updates", Json::array())) {
      auto change = one.is_object() && made.size() < k_most_updates ? change_in(one, findings) : std::nullopt;
      if (change) {
        made.push_back(std::move(*change));
      }
    }
  } catch (const Json::exception&) {
    return fail("the model's updates do not keep to the form that was asked for", "statistics hold alone");
  }
  for (Change& change : made) {
    change.method = "model " + setting.model;
    change.run = run;
    change.round = round;
    HONE_CHECK(base.add(change));
  }
  return made;
}

std::string advice_text(const knowledge::Base& base, const ProfiledState& state, const knowledge::Estimate& step)
{
  std::string text = state_text(state)
                     + fmt::format("\nExpected of {}: {} [{} to {}]; {:.0f} % of its tries fail ({}).\n",
                                   step.technique, speed(step.gain.value), speed(step.gain.interval.low),
                                   speed(step.gain.interval.high), 100 * step.failing, step.why);
  for (const knowledge::Used& used : step.used) {
    std::vector<std::string> ids;
    std::ranges::transform(used.evidence, std::back_inserter(ids),
                           [](const std::string& id) { return id.substr(0, 8); });
    text +=
      fmt::format("- state {}, {:.0f} % alike: {} in {} tries, {} failed (evidence {})\n", used.state.substr(0, 8),
                  100 * used.similarity, speed(used.gain), used.tries, used.failures, join(ids, ", "));
  }
  knowledge::Filter filter;
  filter.technique = step.technique;
  filter.most = k_most_failures;
  const auto failed = knowledge::failures(base, filter);
  for (const knowledge::KnownFailure& one : failed ? *failed : std::vector<knowledge::KnownFailure>()) {
    text += fmt::format("- failed {} times by {}: {} (evidence {})\n", one.times, one.kind, one.detail,
                        one.evidence.substr(0, 8));
  }
  return text;
}

} // namespace hone::policy
