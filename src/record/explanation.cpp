#include "record/explanation.h"

#include "record/verdict.h"

#include <fmt/format.h>

#include <limits>

namespace hone::record {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

template <class T> Json or_null(const std::optional<T>& value)
{
  return value ? Json(*value) : Json(nullptr);
}

template <class T> std::optional<T> value_or_nothing(const Json& json)
{
  return json.is_null() ? std::nullopt : std::optional(json.get<T>());
}

// JSON has no infinities: an unbounded end of an interval is null.
Json end_json(double end)
{
  return std::isfinite(end) ? Json(end) : Json(nullptr);
}

Json pair_json(const PairEvidence& pair)
{
  return {{"ratio", pair.ratio},       {"ratio_with_all", pair.ratio_with_all},
          {"spread", pair.spread},     {"quads", pair.quads},
          {"left_out", pair.left_out}, {"blocks", pair.blocks},
          {"calls", pair.calls},       {"on_clock_s", pair.on_clock_s}};
}

PairEvidence pair_from(const Json& json)
{
  PairEvidence pair;
  pair.ratio = json.at("ratio").get<double>();
  pair.ratio_with_all = json.at("ratio_with_all").get<double>();
  pair.spread = json.at("spread").get<double>();
  pair.quads = json.at("quads").get<int>();
  pair.left_out = json.at("left_out").get<int>();
  pair.blocks = json.at("blocks").get<int>();
  pair.calls = json.at("calls").get<int>();
  pair.on_clock_s = json.at("on_clock_s").get<double>();
  return pair;
}

Json round_json(const Round& round)
{
  return {{"rule", round.rule}, {"pairs", round.pairs}, {"verdict", name_of(round.verdict)}, {"then", round.then}};
}

Round round_from(const Json& json)
{
  return {json.at("rule").get<std::string>(), json.at("pairs").get<int>(),
          comparison_named(json.at("verdict").get<std::string>()), json.at("then").get<std::string>()};
}

Json machine_json(const MachineConditions& machine)
{
  return {{"seconds", machine.seconds},
          {"stolen_s", or_null(machine.stolen_s)},
          {"quota_s", or_null(machine.quota_s)},
          {"throttled", or_null(machine.throttled)},
          {"clocks_ghz", machine.clocks_ghz}};
}

MachineConditions machine_from(const Json& json)
{
  MachineConditions machine;
  machine.seconds = json.at("seconds").get<double>();
  machine.stolen_s = value_or_nothing<double>(json.at("stolen_s"));
  machine.quota_s = value_or_nothing<double>(json.at("quota_s"));
  machine.throttled = value_or_nothing<int>(json.at("throttled"));
  machine.clocks_ghz = json.at("clocks_ghz").get<std::vector<double>>();
  return machine;
}

// "all four pairs say", "both pairs say", "the only pair says".
std::string pairs_say(std::size_t pairs)
{
  switch (pairs) {
  case 1:
    return "the only pair says";
  case 2:
    return "both pairs say";
  case 4:
    return "all four pairs say";
  case 8:
    return "all eight pairs say";
  default:
    return fmt::format("all {} pairs say", pairs);
  }
}

std::string side_sentence(const ComparisonResult& result, const Explanation& explanation)
{
  std::string sentence =
    fmt::format("{} at least {:.3g} % {}", pairs_say(explanation.pairs.size()), 100 * explanation.agreement,
                result.verdict == Comparison::fast ? "faster" : "slower");
  if (explanation.raised()) {
    sentence += fmt::format(" ({:.3g} % and twice what disturbed them)", 100 * explanation.least_agreement);
  }
  return sentence;
}

std::string same_sentence(const Explanation& explanation)
{
  int quads = 0;
  for (const PairEvidence& pair : explanation.pairs) {
    quads += pair.quads;
  }
  const Interval interval = explanation.quads_ci99.value_or(Interval{0, k_infinity});
  return fmt::format(
    "not all pairs are beyond {:.3g} % both with and without the quads left out, and the 99 % interval over {} quads, "
    "{:+.2f} % to {:+.2f} %, lies within {:.3g} %",
    100 * explanation.agreement, quads, 100 * (interval.low - 1), 100 * (interval.high - 1),
    100 * explanation.same_band);
}

} // namespace

std::string deciding_sentence(const ComparisonResult& result)
{
  const Explanation explanation = result.explanation.value_or(Explanation{});
  switch (result.verdict) {
  case Comparison::fast:
  case Comparison::slow:
    return fmt::format("{}: {}", side_sentence(result, explanation), name_of(result.verdict));
  case Comparison::same:
    return fmt::format("{}: {}", same_sentence(explanation), name_of(result.verdict));
  case Comparison::ambiguous:
    break;
  }
  return fmt::format("{}, because {}", name_of(result.verdict), result.reason);
}

Json explanation_json(const ComparisonResult& result)
{
  const Explanation explanation = result.explanation.value_or(Explanation{});
  Json pairs = Json::array(), rounds = Json::array(), elsewhere = Json::array();
  for (const PairEvidence& pair : explanation.pairs) {
    pairs.push_back(pair_json(pair));
  }
  for (const Round& round : explanation.rounds) {
    rounds.push_back(round_json(round));
  }
  for (const OffsetEvidence& offset : explanation.elsewhere) {
    elsewhere.push_back(Json{{"offset", offset.offset}, {"pair_ratios", offset.pair_ratios}});
  }
  const auto& quads = explanation.quads_ci99;
  return {{"decision", deciding_sentence(result)},
          {"rule", explanation.rule},
          {"first_calls_s", Json::array({explanation.candidate_first_s, explanation.incumbent_first_s})},
          {"rounds", std::move(rounds)},
          {"agreement", explanation.agreement},
          {"least_agreement", explanation.least_agreement},
          {"same_band", explanation.same_band},
          {"quads_ci99", quads ? Json::array({end_json(quads->low), end_json(quads->high)}) : Json(nullptr)},
          {"cpu_missing", explanation.cpu_missing},
          {"apart", explanation.apart},
          {"disturbed", explanation.disturbed},
          {"ratio_of_totals", explanation.ratio_of_totals},
          {"long_blocks", Json::array({explanation.candidate_long_blocks, explanation.incumbent_long_blocks})},
          {"pairs", std::move(pairs)},
          {"on_clock_s", explanation.on_clock_s},
          {"elsewhere", std::move(elsewhere)},
          {"machine", explanation.machine ? machine_json(*explanation.machine) : Json(nullptr)}};
}

Explanation explanation_from(const Json& json)
{
  Explanation explanation;
  explanation.rule = json.at("rule").get<std::string>();
  explanation.candidate_first_s = json.at("first_calls_s").at(0).get<double>();
  explanation.incumbent_first_s = json.at("first_calls_s").at(1).get<double>();
  for (const Json& round : json.at("rounds")) {
    explanation.rounds.push_back(round_from(round));
  }
  explanation.agreement = json.at("agreement").get<double>();
  explanation.least_agreement = json.at("least_agreement").get<double>();
  explanation.same_band = json.at("same_band").get<double>();
  if (const Json& quads = json.at("quads_ci99"); !quads.is_null()) {
    explanation.quads_ci99 = Interval{quads.at(0).is_null() ? 0 : quads.at(0).get<double>(),
                                      quads.at(1).is_null() ? k_infinity : quads.at(1).get<double>()};
  }
  explanation.cpu_missing = json.at("cpu_missing").get<double>();
  explanation.apart = json.at("apart").get<double>();
  explanation.disturbed = json.at("disturbed").get<double>();
  if (json.contains("ratio_of_totals")) { // not in those of older versions
    explanation.ratio_of_totals = json.at("ratio_of_totals").get<double>();
    explanation.candidate_long_blocks = json.at("long_blocks").at(0).get<int>();
    explanation.incumbent_long_blocks = json.at("long_blocks").at(1).get<int>();
  }
  for (const Json& pair : json.at("pairs")) {
    explanation.pairs.push_back(pair_from(pair));
  }
  explanation.on_clock_s = json.value("on_clock_s", 0.0); // earlier records do not say
  for (const Json& offset : json.at("elsewhere")) {
    explanation.elsewhere.push_back(
      {offset.at("offset").get<int>(), offset.at("pair_ratios").get<std::vector<double>>()});
  }
  if (const Json& machine = json.at("machine"); !machine.is_null()) {
    explanation.machine = machine_from(machine);
  }
  return explanation;
}

} // namespace hone::record
