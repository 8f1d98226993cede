#include "inputs/guard_thresholds.h"

#include <optional>
#include <set>

namespace hone::inputs {
namespace {

constexpr std::int64_t k_farthest_threshold = std::int64_t{1} << 22;
constexpr std::int64_t k_others = 5;

// Whether the condition holds where `symbol` is that long.
std::optional<bool> holds(const kernel::PlanExpression& condition, kernel::PlanScope& scope, const std::string& symbol,
                          std::int64_t extent)
{
  scope[symbol] = extent;
  const Result<std::int64_t> value = condition.evaluate(scope);
  return value ? std::optional(*value != 0) : std::nullopt;
}

// Between octaves where it changes, by halves: what turns back within one is not seen.
void add_thresholds(const kernel::PlanExpression& condition, kernel::PlanScope scope, const std::string& symbol,
                    std::set<std::int64_t>& out)
{
  for (std::int64_t octave = 1; octave < k_farthest_threshold; octave *= 2) {
    std::int64_t low = octave, high = 2 * octave;
    const auto before = holds(condition, scope, symbol, low), after = holds(condition, scope, symbol, high);
    if (!before || !after || *before == *after) {
      continue;
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (holds(condition, scope, symbol, middle) == before ? low : high) = middle;
    }
    out.insert(high);
  }
}

} // namespace

std::vector<std::int64_t> guard_thresholds(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                                           const kernel::TuningPoint& point, const kernel::PlanScope& device_facts)
{
  kernel::TuningPoint whole = candidate.plan.tuning.defaults();
  for (const auto& [name, value] : point) {
    whole[name] = value;
  }
  kernel::Sizes small;
  for (const std::string& symbol : kernel.symbols) {
    small[symbol] = k_others;
  }
  std::set<std::int64_t> out;
  for (const std::string& symbol : kernel.symbols) {
    for (const auto* launches : {&candidate.plan.launches, &candidate.plan.preparation}) {
      for (const kernel::LaunchSpec& launch : *launches) {
        add_thresholds(launch.when, kernel::plan_scope(small, whole, device_facts), symbol, out);
      }
    }
  }
  return {out.begin(), out.end()};
}

} // namespace hone::inputs
