#include "policy/blaster/learning.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hone::policy {
namespace {

using knowledge::Aggregate;
using knowledge::Change;

constexpr double k_no_gap = 0.05;   // logarithm: less is what was expected
constexpr double k_pays = 0.05;     // a gain that is worth a sequence of steps
constexpr double k_alone = 0.02;    // less is none
constexpr double k_prior_tries = 4; // that a correction is weighed against
constexpr double k_least_correction = 0.02;
constexpr std::int64_t k_fails_always = 3;
constexpr std::int64_t k_never_gains = 4;
constexpr double k_sure = 1.645; // standard errors

std::string ratio(double gain)
{
  return fmt::format("{:.2f}x", std::exp(gain));
}

std::string cause_of(const Finding& finding, const std::map<std::string, int>& kinds)
{
  if (finding.failed > 0 && finding.counted() == 0) {
    std::vector<std::string> words;
    for (const auto& [kind, times] : kinds) {
      words.push_back(fmt::format("{} ({})", kind, times));
    }
    return "every try failed: " + join(words, ", ");
  }
  if (finding.measured < k_alone && finding.returned > std::max(k_alone, finding.measured) + k_pays) {
    return fmt::format("pays later: {} from there on", ratio(finding.returned));
  }
  if (std::abs(finding.gap()) < k_no_gap) {
    return "as expected";
  }
  const char* const direction = finding.gap() > 0 ? "more" : "less";
  if (finding.transferred == finding.tries) {
    return fmt::format("{} than evidence of other states, or none, let expect: it was the first here", direction);
  }
  return finding.within == finding.counted()
           ? fmt::format("{} than expected, within the interval", direction)
           : fmt::format("{} than this state's own evidence let expect: what decides is "
                         "not in its description, or steps before it matter",
                         direction);
}

// The newest value that holds, of a kind of update about a technique everywhere.
Result<double> held_everywhere(const knowledge::Base& base, const std::string& technique, Change::Kind kind,
                               double otherwise)
{
  knowledge::Filter filter;
  filter.technique = technique;
  HONE_TRY(const std::vector<Change> all, knowledge::changes(base, filter));
  const auto newest =
    std::ranges::find_if(all, [&](const Change& one) { return one.kind == kind && one.state.empty(); });
  return newest == all.end() ? otherwise : newest->value;
}

class Update {
public:
  Update(knowledge::Base& base, const std::string& run, int round) : m_base(base), m_run(run), m_round(round) {}

  Result<void> add(Change change)
  {
    change.method = "statistics";
    change.run = m_run;
    change.round = m_round;
    change.time_utc = knowledge::utc_now();
    change.site = m_base.site();
    change.id = knowledge::change_id(change);
    HONE_TRY(const bool added, m_base.add(change));
    if (added) {
      m_made.push_back(std::move(change));
    }
    return {};
  }

  // What was expected of a technique in states that had no evidence of their own was off by so much: from elsewhere it
  // is expected with that correction.
  Result<void> correct(const std::string& technique, std::span<const Finding> findings)
  {
    double gaps = 0, count = 0, within = 0, counted = 0;
    std::vector<std::string> evidence;
    for (const Finding& one : findings) {
      if (one.technique != technique || one.counted() == 0) {
        continue;
      }
      counted += one.counted();
      within += one.within;
      if (one.transferred > 0) {
        gaps += one.transferred * one.gap();
        count += one.transferred;
      }
      evidence.insert(evidence.end(), one.evidence.begin(), one.evidence.end());
    }
    if (counted == 0) {
      return {};
    }
    HONE_TRY(const double before, held_everywhere(m_base, technique, Change::Kind::prediction, 0));
    const double after = before + (count > 0 ? gaps / (count + k_prior_tries) : 0);
    if (std::abs(after - before) >= k_least_correction) {
      Change change;
      change.kind = Change::Kind::prediction;
      change.technique = technique;
      change.value = after;
      change.evidence = evidence;
      change.text =
        fmt::format("where a state has no evidence of its own, {} was expected to gain {} {} than it did "
                    "({:.0f} tries): what is expected from elsewhere is shifted by {:+.3f} (before {:+.3f})",
                    technique, ratio(std::abs(gaps / count)), gaps > 0 ? "less" : "more", count, after, before);
      HONE_CHECK(add(std::move(change)));
    }
    HONE_TRY(const double trusted, held_everywhere(m_base, technique, Change::Kind::confidence, 1));
    const double share = (within + k_prior_tries * trusted) / (counted + k_prior_tries);
    if (std::abs(share - trusted) >= k_least_correction) {
      Change change;
      change.kind = Change::Kind::confidence;
      change.technique = technique;
      change.value = std::clamp(share, 0.1, 1.0);
      change.evidence = std::move(evidence);
      change.text =
        fmt::format("{:.0f} of {:.0f} measured gains of {} lay in the interval that was expected: confidence in "
                    "what is expected of it goes from {:.2f} to {:.2f}",
                    within, counted, technique, trusted, change.value);
      HONE_CHECK(add(std::move(change)));
    }
    return {};
  }

  // Techniques that have failed every time, or gain nothing for sure, alone or later.
  Result<void> deprecate(const Finding& finding)
  {
    HONE_TRY(const std::vector<Aggregate> all, knowledge::aggregates(m_base, finding.state));
    const auto found = std::ranges::find(all, finding.technique, &Aggregate::technique);
    if (found == all.end()) {
      return {};
    }
    const std::int64_t measured = found->tries - found->failures;
    const double error = found->deviation() / std::sqrt(static_cast<double>(std::max<std::int64_t>(measured, 1)));
    const double later = found->returns > 0 ? found->return_sum / static_cast<double>(found->returns) : 0;
    std::string why;
    if (measured == 0 && found->failures >= k_fails_always) {
      why = fmt::format("all {} tries failed here", found->failures);
    } else if (measured >= k_never_gains && found->mean() + k_sure * error < 0 && later < k_alone) {
      why = fmt::format("{} tries here measured {} on average, and nothing was gained later", measured,
                        ratio(found->mean()));
    } else {
      return {};
    }
    Change change;
    change.kind = Change::Kind::deprecate;
    change.state = finding.state;
    change.technique = finding.technique;
    change.evidence = finding.evidence;
    change.text = std::move(why);
    return add(std::move(change));
  }

  // A step that gained nothing alone, and the one behind it that did: in a row they are a technique of their own. Once
  // they are, every time that they follow each other counts, whatever came of it.
  Result<void> compose(const Sample& first, const Sample& second)
  {
    const knowledge::Evidence &a = first.evidence, &b = second.evidence;
    const bool in_a_row = a.trajectory == b.trajectory && !a.after.empty() && a.after == b.before && a.gain;
    const bool simple = !a.technique.contains('+') && !b.technique.contains('+');
    if (!in_a_row || !simple) {
      return {};
    }
    HONE_TRY(const std::optional<knowledge::Entry> known, m_base.find(a.technique + "+" + b.technique));
    const bool pays = b.gain && a.gain->value <= k_alone && a.gain->value + b.gain->value >= k_pays;
    if (!known && !pays) {
      return {};
    }
    knowledge::Technique technique = knowledge::composite_of({a.technique, b.technique});
    HONE_TRY(const bool is_new, m_base.add(technique));
    knowledge::Evidence together = b;
    together.state = a.state;
    together.technique = technique.name;
    together.before = a.before;
    together.predicted.reset();
    if (b.gain) {
      together.gain =
        knowledge::Gain{a.gain->value + b.gain->value,
                        {a.gain->interval.low + b.gain->interval.low, a.gain->interval.high + b.gain->interval.high}};
    }
    together.seconds = a.seconds + b.seconds;
    together.reward = a.reward + b.reward;
    together.returned = together.gain ? std::optional(together.gain->value) : std::nullopt;
    together.entries = {a.id, b.id};
    together.id = knowledge::evidence_id(together);
    HONE_CHECK(m_base.add(together));
    if (!is_new) {
      return {};
    }
    Change change;
    change.kind = Change::Kind::composite;
    change.state = a.state;
    change.technique = technique.name;
    change.evidence = {a.id, b.id};
    change.text = fmt::format("{} alone measured {}, and {} behind it {}: together {}", a.technique,
                              ratio(a.gain->value), b.technique, ratio(b.gain->value), ratio(together.gain->value));
    return add(std::move(change));
  }

  std::vector<Change> made() && { return std::move(m_made); }

private:
  knowledge::Base& m_base;
  std::string m_run;
  int m_round;
  std::vector<Change> m_made;
};

} // namespace

std::vector<Finding> evaluate(std::span<const Sample> samples)
{
  std::vector<Finding> findings;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<std::map<std::string, int>> kinds;
  for (const Sample& sample : samples) {
    const knowledge::Evidence& evidence = sample.evidence;
    const auto [place, is_new] = places.try_emplace({evidence.state, evidence.technique}, findings.size());
    if (is_new) {
      Finding finding;
      finding.state = evidence.state;
      finding.technique = evidence.technique;
      findings.push_back(std::move(finding));
      kinds.emplace_back();
    }
    Finding& finding = findings[place->second];
    finding.tries += 1;
    finding.transferred += sample.transferred ? 1 : 0;
    finding.evidence.push_back(evidence.id);
    if (!evidence.gain) {
      finding.failed += 1;
      kinds[place->second][evidence.failure] += 1;
      continue;
    }
    const double n = finding.counted();
    const double expected = evidence.predicted ? evidence.predicted->value : 0;
    finding.expected += (expected - finding.expected) / n;
    finding.measured += (evidence.gain->value - finding.measured) / n;
    finding.returned = std::max({finding.returned, evidence.returned.value_or(0), evidence.gain->value});
    finding.within += evidence.predicted && evidence.predicted->interval.low <= evidence.gain->value
                          && evidence.gain->value <= evidence.predicted->interval.high
                        ? 1
                        : 0;
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].cause = cause_of(findings[i], kinds[i]);
  }
  return findings;
}

std::string to_text(const Finding& finding)
{
  if (finding.counted() == 0) {
    return fmt::format("{}: {}", finding.technique, finding.cause);
  }
  return fmt::format("{}: expected {}, measured {} in {} {} ({} failed): {}", finding.technique,
                     ratio(finding.expected), ratio(finding.measured), finding.tries,
                     finding.tries == 1 ? "try" : "tries", finding.failed, finding.cause);
}

Result<std::vector<Change>> update_by_statistics(knowledge::Base& base, std::span<const Finding> findings,
                                                 std::span<const Sample> samples, const std::string& run, int round)
{
  Update update(base, run, round);
  const Result<void> done = base.together([&]() -> Result<void> {
    std::vector<std::string> names, lines;
    for (const Finding& finding : findings) {
      HONE_CHECK(update.deprecate(finding));
      names.push_back(finding.technique);
      lines.push_back(to_text(finding));
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    for (const std::string& name : names) {
      HONE_CHECK(update.correct(name, findings));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (std::size_t j = i + 1; j < samples.size(); ++j) { // trajectories take turns
        HONE_CHECK(update.compose(samples[i], samples[j]));
      }
    }
    if (lines.empty()) {
      return {};
    }
    Change note;
    note.text = join(lines, "\n");
    return update.add(std::move(note));
  });
  HONE_CHECK(done);
  return std::move(update).made();
}

} // namespace hone::policy
