#include "record/verdict.h"

#include "record/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace hone::record {
namespace {

constexpr std::array k_status_names{
  std::pair{Status::correct, std::string_view("correct")},
  std::pair{Status::constraints, std::string_view("constraints")},
  std::pair{Status::compile, std::string_view("compile")},
  std::pair{Status::runtime, std::string_view("runtime")},
  std::pair{Status::timeout, std::string_view("timeout")},
  std::pair{Status::correctness, std::string_view("correctness")},
  std::pair{Status::rejected, std::string_view("rejected")},
};
constexpr std::array k_comparison_names{
  std::pair{Comparison::fast, std::string_view("FAST")},
  std::pair{Comparison::slow, std::string_view("SLOW")},
  std::pair{Comparison::same, std::string_view("SAME")},
  std::pair{Comparison::ambiguous, std::string_view("AMBG")},
};
constexpr std::array k_tier_names{
  std::pair{Tier::a, std::string_view("A")},
  std::pair{Tier::b, std::string_view("B")},
  std::pair{Tier::c, std::string_view("C")},
};

// JSON has no infinities: an unbounded end of an interval is null.
Json number(double value)
{
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_from(const Json& json, double when_null)
{
  return json.is_null() ? when_null : json.get<double>();
}

// Only there where a plan prepares weights.
constexpr std::array<std::pair<const char*, std::optional<TimeEstimate> ComparisonResult::*>, 2> k_preparations{{
  {"candidate_preparation", &ComparisonResult::candidate_preparation},
  {"incumbent_preparation", &ComparisonResult::incumbent_preparation},
}};

constexpr double k_endless = std::numeric_limits<double>::infinity();

Json interval_json(const Interval& interval)
{
  return Json::array({number(interval.low), number(interval.high)});
}

Interval interval_from(const Json& json)
{
  return {number_from(json.at(0), -k_endless), number_from(json.at(1), k_endless)};
}

TimeEstimate time_from(const Json& json)
{
  TimeEstimate time;
  time.median = json.at("median").get<double>();
  time.ci95 = interval_from(json.at("ci95"));
  time.calls = whole<int>(json.at("calls"));
  return time;
}

ComparisonResult comparison_from(const Json& json)
{
  ComparisonResult result;
  result.verdict = value_for(k_comparison_names, json.at("verdict").get<std::string>());
  result.regime = regime_named(json.at("regime").get<std::string>());
  result.ratio = json.at("ratio").get<double>();
  result.ci95 = interval_from(json.at("ci95"));
  result.pair_ratios = json.at("pair_ratios").get<std::vector<double>>();
  result.rule = json.at("rule").get<std::string>();
  result.reason = json.at("reason").get<std::string>();
  result.candidate = time_from(json.at("candidate"));
  result.incumbent = time_from(json.at("incumbent"));
  for (const auto& [key, member] : k_preparations) {
    if (json.contains(key)) {
      result.*member = time_from(json.at(key));
    }
  }
  if (json.contains("explanation")) {
    result.explanation = explanation_from(json.at("explanation"));
  }
  if (json.contains("by_size")) {
    for (const Json& one : json.at("by_size")) {
      result.by_size.push_back(
        {whole_members(one.at("sizes")), one.at("weight").get<double>(), comparison_from(one.at("comparison"))});
    }
  }
  return result;
}

Json errors_json(const ErrorFigures& errors)
{
  return Json{{"worst_normalised", number(errors.worst_normalised)},
              {"worst_relative", number(errors.worst_relative)},
              {"worst_where", errors.worst_where}};
}

Verdict verdict_from(const Json& json)
{
  Verdict verdict;
  verdict.status = value_for(k_status_names, json.at("status").get<std::string>());
  verdict.tier = value_for(k_tier_names, json.at("tier").get<std::string>());
  verdict.reason = json.at("reason").get<std::string>();
  verdict.log = json.at("log").get<std::string>();
  const Json& errors = json.at("errors");
  verdict.errors.worst_normalised = number_from(errors.at("worst_normalised"), k_endless);
  verdict.errors.worst_relative = number_from(errors.at("worst_relative"), k_endless);
  verdict.errors.worst_where = errors.at("worst_where").get<std::string>();
  for (const Json& check : json.at("checks")) {
    verdict.checks.push_back(
      {check.at("name").get<std::string>(), check.at("passed").get<bool>(), check.at("detail").get<std::string>()});
  }
  if (json.contains("validators")) {
    verdict.validators = validator_runs_from(json.at("validators"));
  }
  const Json& times = json.at("time_s");
  if (times.contains("cold")) {
    verdict.cold = time_from(times.at("cold"));
  }
  if (times.contains("hot")) {
    verdict.hot = time_from(times.at("hot"));
  }
  for (const Json& comparison : json.at("comparisons")) {
    verdict.comparisons.push_back(comparison_from(comparison));
  }
  verdict.spent = json.at("spent").get<std::map<std::string, double>>();
  verdict.module_hash = json.at("module_hash").get<std::string>();
  return verdict;
}

} // namespace

std::string_view name_of(Status status)
{
  return word_for(k_status_names, status);
}

std::string_view name_of(Tier tier)
{
  return word_for(k_tier_names, tier);
}

std::string_view name_of(Comparison comparison)
{
  return word_for(k_comparison_names, comparison);
}

Comparison comparison_named(const std::string& word)
{
  return value_for(k_comparison_names, word);
}

Json to_json(const TimeEstimate& time)
{
  return Json{{"median", time.median}, {"ci95", interval_json(time.ci95)}, {"calls", time.calls}};
}

Json to_json(const ComparisonResult& comparison)
{
  Json json{{"verdict", name_of(comparison.verdict)},
            {"regime", name_of(comparison.regime)},
            {"ratio", comparison.ratio},
            {"ci95", interval_json(comparison.ci95)},
            {"pair_ratios", comparison.pair_ratios},
            {"rule", comparison.rule},
            {"reason", comparison.reason},
            {"candidate", to_json(comparison.candidate)},
            {"incumbent", to_json(comparison.incumbent)}};
  for (const auto& [key, member] : k_preparations) {
    if (comparison.*member) {
      json[key] = to_json(*(comparison.*member));
    }
  }
  if (comparison.explanation) {
    json["explanation"] = explanation_json(comparison);
  }
  for (const SizedComparison& one : comparison.by_size) {
    json["by_size"].push_back({{"sizes", one.sizes}, {"weight", one.weight}, {"comparison", to_json(one.result)}});
  }
  return json;
}

const SizedComparison* worst_size(const ComparisonResult& comparison)
{
  const auto worst =
    std::ranges::min_element(comparison.by_size, {}, [](const SizedComparison& one) { return one.result.ratio; });
  return worst == comparison.by_size.end() ? nullptr : &*worst;
}

std::string accuracy_of(const Verdict& verdict)
{
  const auto found = std::ranges::find(verdict.checks, k_accuracy, &CheckResult::name);
  return found == verdict.checks.end() ? "" : found->detail;
}

Json to_json(const Verdict& verdict)
{
  Json checks = Json::array();
  for (const CheckResult& check : verdict.checks) {
    checks.push_back(Json{{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  Json times = Json::object();
  if (verdict.cold) {
    times["cold"] = to_json(*verdict.cold);
  }
  if (verdict.hot) {
    times["hot"] = to_json(*verdict.hot);
  }
  Json comparisons = Json::array();
  for (const ComparisonResult& comparison : verdict.comparisons) {
    comparisons.push_back(to_json(comparison));
  }
  return Json{{"status", name_of(verdict.status)},
              {"tier", name_of(verdict.tier)},
              {"reason", verdict.reason},
              {"log", verdict.log},
              {"errors", errors_json(verdict.errors)},
              {"checks", std::move(checks)},
              {"validators", to_json(verdict.validators)},
              {"time_s", std::move(times)},
              {"comparisons", std::move(comparisons)},
              {"spent", verdict.spent},
              {"module_hash", verdict.module_hash}};
}

Result<Verdict> verdict_from_json(const Json& json)
{
  return guarded<Verdict>("verdict", [&] { return verdict_from(json); });
}

} // namespace hone::record
