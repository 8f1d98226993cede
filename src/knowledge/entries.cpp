#include "knowledge/entries.h"

#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace hone::knowledge {
namespace {

constexpr std::size_t k_id_digits = 24;

constexpr std::array<std::pair<TechniqueKind, std::string_view>, 4> k_technique_kinds{
  {{TechniqueKind::transformation, "transformation"},
   {TechniqueKind::ad_hoc, "ad-hoc"},
   {TechniqueKind::composite, "composite"},
   {TechniqueKind::parametrised, "parametrised"}}};

constexpr std::array<std::pair<Change::Kind, std::string_view>, 8> k_change_kinds{
  {{Change::Kind::confidence, "confidence"},
   {Change::Kind::prediction, "prediction"},
   {Change::Kind::deprecate, "deprecate"},
   {Change::Kind::restore, "restore"},
   {Change::Kind::composite, "composite"},
   {Change::Kind::parameters, "parameters"},
   {Change::Kind::state, "state"},
   {Change::Kind::note, "note"}}};

template <class Names, class Kind> std::string_view word_of(const Names& names, Kind kind)
{
  for (const auto& [value, word] : names) {
    if (value == kind) {
      return word;
    }
  }
  return "?";
}

template <class Names> auto kind_named(const Names& names, const std::string& word)
{
  for (const auto& [value, name] : names) {
    if (name == word) {
      return value;
    }
  }
  throw std::invalid_argument(fmt::format("there is no kind '{}'", word));
}

std::string id_from(const std::string& text)
{
  return sha256(text).substr(0, k_id_digits);
}

// Members are left out where they say nothing: a base has a million of these.
void put(Json& json, const char* name, const std::string& text)
{
  if (!text.empty()) {
    json[name] = text;
  }
}

template <class Number> void put_number(Json& json, const char* name, Number number)
{
  if (number != 0) {
    json[name] = number;
  }
}

void put_gain(Json& json, const char* name, const std::optional<Gain>& gain)
{
  if (gain) {
    json[name] = {gain->value, gain->interval.low, gain->interval.high};
  }
}

std::string text_in(const Json& json, const char* name)
{
  return json.contains(name) ? json.at(name).get<std::string>() : std::string();
}

double finite(const Json& json)
{
  const double number = json.get<double>();
  if (!std::isfinite(number)) {
    throw std::invalid_argument("a number is not finite");
  }
  return number;
}

double number_in(const Json& json, const char* name)
{
  return json.contains(name) ? finite(json.at(name)) : 0;
}

int count_in(const Json& json, const char* name)
{
  return json.contains(name) ? whole<int>(json.at(name)) : 0;
}

std::optional<Gain> gain_in(const Json& json, const char* name)
{
  if (!json.contains(name)) {
    return std::nullopt;
  }
  const Json& three = json.at(name);
  const Gain gain{finite(three.at(0)), {finite(three.at(1)), finite(three.at(2))}};
  if (three.size() != 3 || gain.interval.low > gain.interval.high) {
    throw std::invalid_argument(fmt::format("'{}' must be [value, low, high]", name));
  }
  return gain;
}

std::vector<std::string> texts_in(const Json& json, const char* name)
{
  return json.contains(name) ? json.at(name).get<std::vector<std::string>>() : std::vector<std::string>();
}

std::string needed(const Json& json, const char* name)
{
  std::string text = json.at(name).get<std::string>();
  if (text.empty()) {
    throw std::invalid_argument(fmt::format("'{}' is empty", name));
  }
  return text;
}

Json json_of(const State& state)
{
  Json json{{"entry", "state"}, {"id", state.id}, {"signature", to_json(state.signature)}};
  put(json, "inherits", state.inherits);
  put(json, "site", state.site);
  put(json, "time_utc", state.time_utc);
  return json;
}

Json json_of(const Technique& technique)
{
  Json json{{"entry", "technique"}, {"name", technique.name}, {"kind", name_of(technique.kind)}};
  put(json, "description", technique.description);
  if (!technique.parts.empty()) {
    json["parts"] = technique.parts;
  }
  if (!technique.parameters.empty()) {
    json["parameters"] = technique.parameters;
  }
  put(json, "site", technique.site);
  put(json, "time_utc", technique.time_utc);
  return json;
}

Json json_of(const Evidence& evidence)
{
  Json json{{"entry", "evidence"}, {"id", evidence.id}, {"state", evidence.state}, {"technique", evidence.technique}};
  put(json, "kernel", evidence.kernel);
  put(json, "kernel_hash", evidence.kernel_hash);
  put(json, "record", evidence.record);
  put(json, "time_utc", evidence.time_utc);
  put(json, "environment", evidence.environment);
  put(json, "before", evidence.before);
  put(json, "after", evidence.after);
  put(json, "candidate", evidence.candidate);
  put(json, "place", evidence.place);
  put_gain(json, "predicted", evidence.predicted);
  put_gain(json, "gain", evidence.gain);
  put(json, "comparison", evidence.comparison);
  put(json, "failure", evidence.failure);
  put(json, "detail", evidence.detail);
  put_number(json, "seconds", evidence.seconds);
  put_number(json, "tokens", evidence.tokens);
  put(json, "run", evidence.run);
  put_number(json, "round", evidence.round);
  put_number(json, "trajectory", evidence.trajectory);
  put_number(json, "step", evidence.step);
  put_number(json, "reward", evidence.reward);
  if (evidence.returned) {
    json["returned"] = *evidence.returned;
  }
  if (!evidence.entries.empty()) {
    json["entries"] = evidence.entries;
  }
  put(json, "site", evidence.site);
  return json;
}

Json json_of(const Change& change)
{
  Json json{{"entry", "change"}, {"id", change.id}, {"kind", name_of(change.kind)}};
  put(json, "state", change.state);
  put(json, "technique", change.technique);
  put_number(json, "value", change.value);
  put(json, "text", change.text);
  put(json, "method", change.method);
  put(json, "run", change.run);
  put_number(json, "round", change.round);
  if (!change.evidence.empty()) {
    json["evidence"] = change.evidence;
  }
  put(json, "site", change.site);
  put(json, "time_utc", change.time_utc);
  return json;
}

State state_from(const Json& json)
{
  State state;
  state.signature = signature_from(json.at("signature"));
  state.id = state_id(state.signature);
  state.inherits = text_in(json, "inherits");
  state.site = text_in(json, "site");
  state.time_utc = text_in(json, "time_utc");
  return state;
}

Technique technique_from(const Json& json)
{
  Technique technique;
  technique.name = needed(json, "name");
  technique.kind = kind_named(k_technique_kinds, json.at("kind").get<std::string>());
  technique.description = text_in(json, "description");
  technique.parts = texts_in(json, "parts");
  if (json.contains("parameters")) {
    technique.parameters = whole_members(json.at("parameters"));
  }
  technique.site = text_in(json, "site");
  technique.time_utc = text_in(json, "time_utc");
  return technique;
}

Evidence evidence_from(const Json& json)
{
  Evidence evidence;
  evidence.state = needed(json, "state");
  evidence.technique = needed(json, "technique");
  evidence.kernel = text_in(json, "kernel");
  evidence.kernel_hash = text_in(json, "kernel_hash");
  evidence.record = text_in(json, "record");
  evidence.time_utc = needed(json, "time_utc");
  evidence.environment = text_in(json, "environment");
  evidence.before = text_in(json, "before");
  evidence.after = text_in(json, "after");
  evidence.candidate = text_in(json, "candidate");
  evidence.place = text_in(json, "place");
  evidence.predicted = gain_in(json, "predicted");
  evidence.gain = gain_in(json, "gain");
  evidence.comparison = text_in(json, "comparison");
  evidence.failure = text_in(json, "failure");
  evidence.detail = text_in(json, "detail");
  evidence.seconds = number_in(json, "seconds");
  evidence.tokens = json.contains("tokens") ? whole<std::int64_t>(json.at("tokens")) : 0;
  evidence.run = text_in(json, "run");
  evidence.round = count_in(json, "round");
  evidence.trajectory = count_in(json, "trajectory");
  evidence.step = count_in(json, "step");
  evidence.reward = number_in(json, "reward");
  if (json.contains("returned")) {
    evidence.returned = finite(json.at("returned"));
  }
  evidence.entries = texts_in(json, "entries");
  evidence.site = text_in(json, "site");
  if (seconds_of(evidence.time_utc) == 0) {
    throw std::invalid_argument(fmt::format("'{}' is no time in UTC, as in 2026-01-31T12:00:00Z", evidence.time_utc));
  }
  if (evidence.gain.has_value() != evidence.failure.empty()) {
    throw std::invalid_argument("evidence has either a gain or a failure");
  }
  evidence.id = evidence_id(evidence);
  return evidence;
}

Change change_from(const Json& json)
{
  Change change;
  change.kind = kind_named(k_change_kinds, json.at("kind").get<std::string>());
  change.state = text_in(json, "state");
  change.technique = text_in(json, "technique");
  change.value = number_in(json, "value");
  change.text = text_in(json, "text");
  change.method = text_in(json, "method");
  change.run = text_in(json, "run");
  change.round = count_in(json, "round");
  change.evidence = texts_in(json, "evidence");
  change.site = text_in(json, "site");
  change.time_utc = text_in(json, "time_utc");
  change.id = change_id(change);
  return change;
}

Entry read_entry(const Json& json)
{
  const std::string kind = json.at("entry").get<std::string>();
  if (kind == "state") {
    return state_from(json);
  }
  if (kind == "technique") {
    return technique_from(json);
  }
  if (kind == "evidence") {
    return evidence_from(json);
  }
  if (kind == "change") {
    return change_from(json);
  }
  throw std::invalid_argument(fmt::format("there is no entry of kind '{}'", kind));
}

} // namespace

std::string_view name_of(TechniqueKind kind)
{
  return word_of(k_technique_kinds, kind);
}

std::string_view name_of(Change::Kind kind)
{
  return word_of(k_change_kinds, kind);
}

std::string state_id(const Signature& signature)
{
  return id_from(to_json(signature).dump());
}

// Not of what was predicted, nor of the site: the same measurement told twice is one piece of evidence.
std::string evidence_id(const Evidence& evidence)
{
  Json gain;
  put_gain(gain, "gain", evidence.gain);
  return id_from(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", evidence.state, evidence.technique,
                             evidence.kernel_hash, evidence.record, evidence.time_utc, evidence.environment,
                             evidence.before, evidence.candidate, evidence.failure, gain.dump()));
}

std::string change_id(const Change& change)
{
  Change named = change;
  named.id.clear();
  return id_from(json_of(named).dump());
}

std::string id_of(const Entry& entry)
{
  if (const auto* technique = std::get_if<Technique>(&entry)) {
    return technique->name;
  }
  if (const auto* state = std::get_if<State>(&entry)) {
    return state->id;
  }
  const auto* evidence = std::get_if<Evidence>(&entry);
  return evidence != nullptr ? evidence->id : std::get<Change>(entry).id;
}

Technique composite_of(const std::vector<std::string>& parts)
{
  Technique technique;
  technique.name = join(parts, "+");
  technique.kind = TechniqueKind::composite;
  technique.description = join(parts, ", then ");
  technique.parts = parts;
  return technique;
}

Technique parametrised(const std::string& name, const std::map<std::string, std::int64_t>& parameters)
{
  std::vector<std::string> values;
  for (const auto& [parameter, value] : parameters) {
    values.push_back(fmt::format("{}={}", parameter, value));
  }
  Technique technique;
  technique.name = name + "@" + join(values, ",");
  technique.kind = TechniqueKind::parametrised;
  technique.description = fmt::format("{} with {}", name, join(values, ", "));
  technique.parts = {name};
  technique.parameters = parameters;
  return technique;
}

Json to_json(const Entry& entry)
{
  return std::visit([](const auto& one) { return json_of(one); }, entry);
}

Result<Entry> entry_from(const Json& json, const std::string& origin)
{
  const auto complain = [&](const std::string& what) {
    return fail(fmt::format("not an entry of a knowledge base: {}", what),
                "docs/knowledge.md says what the lines look like", Place{origin, 0, 0});
  };
  try {
    Entry entry = read_entry(json);
    const std::string given = text_in(json, "id");
    if (!given.empty() && given != id_of(entry)) {
      return complain(fmt::format("it was changed: its id is {}, not {}", id_of(entry), given));
    }
    return entry;
  } catch (const Json::exception& exception) {
    return complain(exception.what());
  } catch (const std::invalid_argument& exception) {
    return complain(exception.what());
  }
}

std::int64_t seconds_of(const std::string& time_utc)
{
  std::tm parts{};
  const char* end = ::strptime(time_utc.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return end == nullptr ? 0 : static_cast<std::int64_t>(::timegm(&parts));
}

std::string utc_now()
{
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

} // namespace hone::knowledge
