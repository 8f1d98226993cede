// Timing of contenders that are known to be right: data and checks for the timed calls, ceilings, deadlines.
#include "gate/compare.h"
#include "gate/gate_state.h"
#include "gate/sizes_together.h"
#include "gate/timed_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::gate {
namespace {

constexpr double k_impossible = 1.5; // times the ceiling: no clock boost or measuring error explains it
constexpr std::chrono::milliseconds k_shortest_deadline{2'000};
constexpr double k_regimes_differ_below_s = 0.5;
constexpr double k_deadline_factor = 100; // times the incumbent's time

CompareArm arm_of(const backend::Backend& backend, const Prepared& prepared)
{
  CompareArm arm;
  arm.backend = &backend;
  arm.module = prepared.build ? &prepared.build->module : nullptr;
  arm.plan = &prepared.plan;
  arm.preparation = prepared.preparation ? &*prepared.preparation : nullptr;
  arm.library = prepared.contender.library;
  arm.library_setting = prepared.contender.library_setting;
  return arm;
}

TimingHooks hooks_for(TimedData& data, const kernel::Sizes& sizes, record::Regime regime)
{
  TimingHooks hooks;
  hooks.begin = [&data, regime](Arena& arena) { data.begin(arena.sets(), regime == record::Regime::hot); };
  hooks.refill = [&data](Arena& arena, std::span<const std::uint32_t> sets, Arm arm) {
    return data.fill(arena, sets, arm);
  };
  hooks.ensure_known = [&data](Arena& arena, std::span<const std::uint32_t> sets, Arm arm) {
    return data.ensure_known(arena, sets, arm);
  };
  hooks.stress_kinds = data.stress_kinds(sizes);
  hooks.write_stress = [&data](Arena& arena, std::uint32_t set) { return data.fill_stress(arena, set); };
  hooks.write_unseen = [&data](Arena& arena, std::uint32_t set) { return data.fill_unseen(arena, set); };
  hooks.check = [&data](Arena& arena, std::span<const std::uint32_t> sets, Arm arm) {
    return data.check(arena, sets, arm);
  };
  return hooks;
}

// Best possible time in a regime: traffic to memory counts only where the data start in memory.
double floor_of(const kernel::Kernel& kernel, const record::Contender& contender, const record::Recipe& recipe,
                record::Regime regime, Ceilings ceilings)
{
  if (regime == record::Regime::hot) {
    ceilings.gbytes.clear();
  }
  const bool prepared = !contender.candidate.plan.preparation.empty();
  return (prepared ? floor_seconds_prepared : roofline_seconds)(kernel, recipe.sizes, ceilings, recipe.threads);
}

std::string time_key(const record::Contender& contender, const record::Recipe& recipe)
{
  return fmt::format("{} {} {}", identity_of(contender), kernel::to_text(recipe.sizes), recipe.threads);
}

} // namespace

std::chrono::milliseconds Gate::Impl::deadline_beside(const record::Contender& incumbent,
                                                      const record::Recipe& recipe) const
{
  const auto known = call_times.find(time_key(incumbent, recipe));
  if (known == call_times.end()) {
    return call_deadline;
  }
  const std::chrono::milliseconds generous(static_cast<std::int64_t>(1e3 * k_deadline_factor * known->second));
  return std::min(std::max(generous, k_shortest_deadline), call_deadline);
}

Result<SessionResult<record::ComparisonResult>> Gate::Impl::compare(const record::Contender& contender,
                                                                    const record::Contender& incumbent,
                                                                    const record::Recipe& recipe, record::Regime regime,
                                                                    record::Depth depth,
                                                                    std::map<std::string, double>& spent)
{
  const auto begin = std::chrono::steady_clock::now();
  HONE_SESSION(const std::shared_ptr<const Prepared> ours, prepare(contender, recipe.sizes));
  HONE_TRY(auto theirs, prepare(incumbent, recipe.sizes));
  const auto built = std::chrono::steady_clock::now();
  if (!theirs) {
    return fail("the incumbent cannot be built any more: " + theirs.error().reason);
  }
  references.finish_ahead(); // nothing else of ours runs while calls are timed
  progress(fmt::format("measuring {}", record::name_of(regime)));
  const double references_before = references.seconds();
  TimedData data(*kernel, references, pool_seed, secret.next());
  CompareRequest request;
  request.kernel = kernel.get();
  request.recipe = recipe;
  request.regime = regime;
  request.candidate = arm_of(backend, *ours);
  request.incumbent = arm_of(backend, **theirs);
  request.cpus = cpus_for(recipe);
  if (device.last_level_cache > 0) {
    request.last_level_cache = device.last_level_cache;
  }
  request.device_memory = device.memory;
  request.places_code = backend.capabilities().code_placement;
  request.seed = secret.next();
  request.call_deadline = deadline_beside(incumbent, recipe);
  request.repeats_inputs = regime == record::Regime::hot || data.repeats();
  request.settle_doubt = depth == record::Depth::promote;
  request.stop = options.stop;
  HONE_TRY(CompareOutcome outcome, compare_lanes(request, hooks_for(data, recipe.sizes, regime), timing_memory));

  const std::chrono::duration<double> building = built - begin;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - built;
  const double reference_time = references.seconds() - references_before;
  const double data_time = data.fill_seconds() + data.check_seconds() - reference_time;
  spent["build"] += building.count();
  spent["reference"] += reference_time;
  spent["check"] += data_time;
  spent["measure"] += elapsed.count() - reference_time - data_time;
  if (!outcome.failure) {
    call_times[time_key(contender, recipe)] = outcome.result.candidate.median;
    call_times[time_key(incumbent, recipe)] = outcome.result.incumbent.median;
    return SessionResult<record::ComparisonResult>(std::move(outcome.result));
  }
  const bool same = identity_of(contender) == identity_of(incumbent);
  if (outcome.failure->arm == Arm::incumbent && !same) {
    return fail("the incumbent failed while it was timed: " + outcome.failure->end.reason,
                "validate it again in full: hone verify");
  }
  return Ended{std::move(outcome.failure->end)};
}

Result<SessionResult<record::ComparisonResult>>
Gate::Impl::compare_below_ceiling(const record::Contender& contender, const record::Contender& incumbent,
                                  const record::Recipe& recipe, record::Regime regime, record::Depth depth,
                                  std::map<std::string, double>& spent)
{
  HONE_SESSION(record::ComparisonResult result, compare(contender, incumbent, recipe, regime, depth, spent));
  double floor = options.ceilings ? floor_of(*kernel, contender, recipe, regime, *options.ceilings) : 0;
  if (result.candidate.median < floor && raise_ceilings(*options.ceilings, backend).value_or(false)) {
    floor = floor_of(*kernel, contender, recipe, regime, *options.ceilings); // they were measured beside other work
  }
  if (result.candidate.median >= floor) {
    return SessionResult<record::ComparisonResult>(std::move(result));
  }
  HONE_SESSION(result, compare(contender, incumbent, recipe, regime, depth, spent));
  const double times = floor / result.candidate.median;
  if (times > k_impossible) {
    return Ended{rejected(
      fmt::format("impossible speed: {:.2f} times what this device can do ({})", times, record::name_of(regime)))};
  }
  if (times > 1) {
    result.verdict = record::Comparison::ambiguous;
    result.reason = fmt::format("{:.2f} times the measured ceiling, twice in a row", times);
  }
  return SessionResult<record::ComparisonResult>(std::move(result));
}

Result<SessionResult<record::ComparisonResult>>
Gate::Impl::compare_everywhere(Comparing comparing, const record::Contender& contender,
                               const record::Contender& incumbent, const record::Recipe& recipe, record::Regime regime,
                               record::Depth depth, std::map<std::string, double>& spent)
{
  HONE_SESSION(record::ComparisonResult first,
               (this->*comparing)(contender, incumbent, recipe.at(recipe.sizes), regime, depth, spent));
  if (recipe.further.empty()) {
    return SessionResult<record::ComparisonResult>(std::move(first));
  }
  std::vector<record::SizedComparison> by_size{{recipe.sizes, recipe.weight, std::move(first)}};
  for (const record::WeighedSizes& further : recipe.further) {
    HONE_SESSION(record::ComparisonResult result,
                 (this->*comparing)(contender, incumbent, recipe.at(further.sizes), regime, depth, spent));
    by_size.push_back({further.sizes, further.weight, std::move(result)});
  }
  return SessionResult<record::ComparisonResult>(together(std::move(by_size)));
}

Result<void> Gate::Impl::measure(record::Verdict& verdict, const record::Contender& contender,
                                 const record::Contender& incumbent, const record::Recipe& recipe, record::Depth depth,
                                 bool both_regimes)
{
  std::vector<record::Regime> regimes{recipe.regime};
  if (both_regimes) {
    regimes.push_back(recipe.regime == record::Regime::cold ? record::Regime::hot : record::Regime::cold);
  }
  for (const record::Regime regime : regimes) {
    HONE_TRY(
      SessionResult<record::ComparisonResult> result,
      compare_everywhere(&Impl::compare_below_ceiling, contender, incumbent, recipe, regime, depth, verdict.spent));
    if (!result) {
      verdict.checks.push_back({"timed calls", false, result.error().reason});
      verdict.cold.reset();
      verdict.hot.reset();
      verdict.comparisons.clear();
      enter_end(verdict, result.error());
      return {};
    }
    (regime == record::Regime::cold ? verdict.cold : verdict.hot) = result->candidate;
    const bool slow = std::max(result->candidate.median, result->incumbent.median) > k_regimes_differ_below_s;
    verdict.comparisons.push_back(std::move(*result));
    if (slow) {
      break; // where the data start is nothing beside such a call, and measuring it again would take long
    }
  }
  verdict.checks.push_back({"timed calls", true, "outputs checked after every block"});
  verdict.checks.push_back({"clock", true, std::string(backend::name_of(backend.capabilities().clock))});
  if (!backend.capabilities().host_ceilings) {
    verdict.checks.push_back({"ceiling", true, "not applicable: no ceilings of this platform are measured"});
  }
  if (!backend.capabilities().code_placement) {
    verdict.checks.push_back({"code at other places", true, "not applicable: the platform decides where code lies"});
  }
  return {};
}

} // namespace hone::gate
