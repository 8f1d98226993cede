#include "app/climb_setup.h"

#include "record/machine_load.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

// Of a budget of a second: what is found out once, about a kernel or a machine, must not eat up a short climb.
constexpr std::int64_t k_most_opening_ms = 250;

} // namespace

Result<Climb> open_climb(Context& context, const KernelRequest& request)
{
  auto begin = std::chrono::steady_clock::now();
  HONE_TRY(Workbench bench, open_workbench(context, request));
  if (!bench.backend->capabilities().times) {
    return fail(
      fmt::format("the device of the backend {} is emulated: it computes and checks, and does not time",
                  bench.backend->name()),
      fmt::format("`hone run CANDIDATE --kernel {} --backend {} --no-timing` validates a candidate; a climb needs a "
                  "GPU, or another backend",
                  bench.kernel->name, bench.backend->name()));
  }
  HONE_CHECK(refresh_ceilings(bench));
  HONE_TRY(auto executor, open_executor(bench, context));
  const auto waits = std::chrono::steady_clock::now();
  HONE_TRY(store::Workflow workflow, open_workflow(bench, executor->device(), context));
  begin += std::chrono::steady_clock::now() - waits; // for another Hone: no time of this climb
  warn_of_damage(context, workflow);
  HONE_TRY(auto catalogue, catalogue::load_catalogue(share_folder() / "transformations", bench.kernel->folder));
  HONE_TRY(gate::Ceilings ceilings, ceilings_of(bench, context));
  HONE_TRY(const std::int64_t budget, context.settings.integer("budget"));
  begin = std::max(begin, std::chrono::steady_clock::now() - std::chrono::milliseconds(k_most_opening_ms * budget));
  HONE_TRY(const kernel::Work work, kernel::work_of(*bench.kernel, bench.recipe.sizes));
  const gate::Roof roof =
    gate::roof_of(*bench.kernel, bench.recipe.sizes, ceilings, bench.recipe.threads, bench.recipe.regime);
  const ClimbScale scale{.regime = bench.recipe.regime,
                         .flops = work.flops,
                         .bytes = roof.bytes,
                         .floor_s = roof.seconds,
                         .bound_by = roof.level,
                         .budget = std::chrono::seconds(budget),
                         .begin = begin};
  return Climb{
    std::move(bench), std::move(executor), std::move(workflow), std::move(catalogue), std::move(ceilings), scale,
    nullptr};
}

Result<policy::PolicyContext> policy_context(Context& context, Climb& climb)
{
  policy::PolicyContext policy{.kernel = climb.bench.kernel,
                               .backend = *climb.bench.backend,
                               .engine = climb.model ? *climb.model : rewrite::builtin_engine(),
                               .executor = *climb.executor,
                               .workflow = climb.workflow,
                               .catalogue = climb.catalogue,
                               .recipe = climb.bench.recipe,
                               .device_facts = climb.executor->device().plan_facts};
  policy.tuning_strategy = context.settings.text("strategy");
  policy.budget = climb.scale.budget;
  HONE_TRY(policy.most_device_seconds, context.settings.limit("max-device-seconds"));
  HONE_TRY(policy.most_minutes, context.settings.limit("max-minutes"));
  policy.seed = climb.bench.seed != 0 ? climb.bench.seed : fresh_seed();
  policy.environment = climb.executor->environment();
  policy.stop = context.stop;
  policy.observe = [observer = context.observer, &climb](const policy::Progress& progress) {
    if (progress.finished && progress.record) {
      const record::MachineLoad load = record::load_of(progress.record->verdict, climb.bench.recipe.threads);
      climb.scale.timed_s += load.timed_s;
      climb.scale.lost_s += load.lost_s;
    }
    observer->climb_step(progress, climb.scale);
  };
  return policy;
}

} // namespace hone::app
