// What a candidate costs with everything on: its verdict's seconds by phase, and what is in none of them.
#include "gate/gate.h"
#include "kernel/resolved_plan.h"
#include "rows.h"
#include "studies.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace hone {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Points of the candidate's own space, which is why they are good enough to be compared: neighbours of the default,
// one value changed at a time.
std::vector<kernel::TuningPoint> neighbours_of_default(const kernel::Candidate& candidate, const kernel::Sizes& sizes,
                                                       const kernel::PlanScope& facts, int count)
{
  const kernel::TuningPoint normal = candidate.plan.tuning.defaults();
  std::vector<kernel::TuningPoint> points;
  for (const kernel::TuningParameter& parameter : candidate.plan.tuning.parameters) {
    for (const std::int64_t value : parameter.values) {
      kernel::TuningPoint point = normal;
      point[parameter.name] = value;
      const auto legal =
        kernel::satisfies_constraints(candidate.plan.tuning, kernel::plan_scope(sizes, point, facts), nullptr);
      if (value != normal.at(parameter.name) && legal.value_or(false) && static_cast<int>(points.size()) < count) {
        points.push_back(std::move(point));
      }
    }
  }
  return points;
}

double spent_on(const record::Verdict& verdict, const std::string& phase)
{
  const auto found = verdict.spent.find(phase);
  return found == verdict.spent.end() ? 0 : found->second;
}

void print_cost(record::Depth depth, int run, const record::Verdict& verdict, double wall_s)
{
  if (verdict.status != record::Status::correct) {
    fmt::print(stderr, "{} run {}: {}\n", record::name_of(depth), run, verdict.reason);
  }
  double in_phases_s = 0, on_clock_s = 0;
  std::size_t pairs = 0;
  for (const auto& [phase, seconds] : verdict.spent) {
    in_phases_s += seconds;
  }
  for (const record::ComparisonResult& comparison : verdict.comparisons) {
    const record::Explanation explanation = comparison.explanation.value_or(record::Explanation{});
    on_clock_s += explanation.on_clock_s;
    pairs += explanation.pairs.size();
  }
  fmt::print("cost,{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{}\n", record::name_of(depth), run,
             record::name_of(verdict.status), wall_s, spent_on(verdict, "build"), spent_on(verdict, "reference"),
             spent_on(verdict, "validate"), spent_on(verdict, "measure"), spent_on(verdict, "check"),
             wall_s - in_phases_s, on_clock_s, pairs);
  std::fflush(stdout);
}

} // namespace

Result<void> study_cost(const StudyOptions& options)
{
  HONE_TRY(kernel::Kernel loaded, kernel::load_kernel(options.kernel));
  const auto kernel = std::make_shared<const kernel::Kernel>(std::move(loaded));
  HONE_TRY(const kernel::Candidate candidate, kernel::load_candidate(*kernel, options.candidate));
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  HONE_TRY(const backend::DeviceInfo device, backend->probe());
  const std::vector<kernel::TuningPoint> points =
    neighbours_of_default(candidate, kernel->timed.front(), device.plan_facts, options.n);
  if (points.empty()) {
    return fail(fmt::format("{} has no tuning points beside its default", options.candidate.string()),
                "give a candidate with a [tuning] table");
  }
  const record::Contender incumbent{candidate, candidate.plan.tuning.defaults(), {}, {}};
  fmt::print(
    "study,depth,run,status,wall_s,build_s,reference_s,validate_s,measure_s,check_s,rest_s,on_clock_s,pairs\n");
  for (const record::Depth depth : {record::Depth::screen, record::Depth::promote}) {
    HONE_TRY(const TemporaryFolder cache, TemporaryFolder::create("hone-trust")); // nothing is compiled already
    gate::GateOptions gate_options;
    gate_options.cache = cache.path();
    HONE_TRY(gate::Gate gate, gate::Gate::open(kernel, *backend, gate_options));
    record::Recipe recipe;
    recipe.sizes = kernel->timed.front();
    for (std::size_t i = 0; i < points.size(); ++i) { // the first one pays for references that all share
      const auto begin = Clock::now();
      HONE_TRY(const record::Verdict verdict,
               gate.judge({candidate, points[i], {}, {}}, incumbent, recipe, depth, depth == record::Depth::promote));
      print_cost(depth, static_cast<int>(i), verdict, seconds_since(begin));
    }
  }
  return {};
}

} // namespace hone
