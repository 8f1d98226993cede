// How a job ended, what was measured and what was checked.
#pragma once

#include "record/explanation.h"
#include "record/recipe.h"
#include "record/tier.h"
#include "record/validator_run.h"
#include "util/json.h"
#include "util/stats.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::record {

enum class Status { correct, constraints, compile, runtime, timeout, correctness, rejected };
enum class Comparison { fast, slow, same, ambiguous };

std::string_view name_of(Status status);              // as in records: "correct", ...
std::string_view name_of(Comparison comparison);      // "FAST", "SLOW", "SAME", "AMBG"
Comparison comparison_named(const std::string& word); // throws std::invalid_argument

// Name of the check by which a verdict says that its inputs were limited to a kind that somebody chose. It proves less
// than others and never makes a checkpoint.
inline constexpr std::string_view k_forced_inputs = "forced inputs";

// Name of the check that says how outputs were compared, where that is not the default: see accuracy_of().
inline constexpr std::string_view k_accuracy = "accuracy";

struct TimeEstimate {
  double median = 0; // seconds per call
  Interval ci95;
  int calls = 0;
};

struct CheckResult {
  std::string name; // "guard bands", "hidden size m=31 n=7 k=1", ...
  bool passed = false;
  std::string detail; // what was seen, empty when it passed without remark
};

struct ErrorFigures {
  double worst_normalised = 0; // largest |candidate - reference| / bound; <= 1 passes
  double worst_relative = 0;   // Frobenius norm of the error over that of the reference, of the worst output
  std::string worst_where;     // "C[12, 7]: got 1.5, expected 1.25 +- 1e-6"
};

struct SizedComparison;

struct ComparisonResult {
  Comparison verdict = Comparison::ambiguous;
  Regime regime = Regime::cold;
  double ratio = 1; // incumbent's time / candidate's time: > 1 means the candidate is faster
  Interval ci95;    // t interval over pair estimates
  std::vector<double> pair_ratios;
  std::string rule;   // "unanimous 0.5 %", "2x rule", ...
  std::string reason; // why AMBG; empty otherwise
  TimeEstimate candidate, incumbent;
  // Laying weights out ahead of a call, where a plan has [[prepare]]: not in the times above. Such a result is of a
  // class of its own, and says so wherever it is shown.
  std::optional<TimeEstimate> candidate_preparation, incumbent_preparation;
  std::optional<Explanation> explanation; // how it came about; records of older versions have none
  // At several sizes: what was measured at each, the first sizes of the recipe first. Ratio and pairs above are
  // weighted geometric means then, the times are those of the first sizes.
  std::vector<SizedComparison> by_size;
};

struct SizedComparison {
  kernel::Sizes sizes;
  double weight = 1;
  ComparisonResult result;
};

// The size at which the candidate gains least; null where there is only one.
const SizedComparison* worst_size(const ComparisonResult& comparison);

struct Verdict {
  Status status = Status::correct;
  Tier tier = Tier::b;
  std::string reason; // one line for people; empty when correct
  std::string log;    // compiler output, translated, capped
  ErrorFigures errors;
  std::vector<CheckResult> checks;
  std::vector<ValidatorRun> validators; // what became of each; records of older versions have none
  std::optional<TimeEstimate> cold, hot;
  std::vector<ComparisonResult> comparisons; // against the job's incumbent, one per regime measured
  std::map<std::string, double> spent;       // phase -> seconds: build, validate, measure, ...
  std::string module_hash;

  // Of one call's weights, where they are laid out ahead: beside cold and hot, not in them.
  std::optional<TimeEstimate> preparation() const
  {
    return comparisons.empty() ? std::nullopt : comparisons.front().candidate_preparation;
  }
};

// "normwise, NaN undefined"; empty where outputs were compared by the default.
std::string accuracy_of(const Verdict& verdict);

Json to_json(const Verdict& verdict);
Json to_json(const ComparisonResult& comparison);
Json to_json(const TimeEstimate& time);
Result<Verdict> verdict_from_json(const Json& json);

} // namespace hone::record
