// What optimize, tune and apply run on: bench, executor, workflow, catalogue and ceilings. (internal to the cli)
#pragma once

#include "cli/climb_view.h"
#include "cli/workbench.h"
#include "engine/model_engine.h"
#include "policy/policy.h"

namespace hone::cli {

// Everything the climb runs on, kept alive together.
struct Climb {
  Workbench bench;
  std::unique_ptr<LocalExecutor> executor;
  Workflow workflow;
  std::vector<Transformation> catalogue;
  Ceilings ceilings;
  Work work;
  double floor_s = 0;
  std::unique_ptr<Engine> model; // who carries steps out in place of the built-in engine; null: nobody
};

Result<Climb> open_climb(Context& context, const KernelOptions& options);
// Steps are carried out by climb.model, where that is set, else by the built-in engine. The context refers to `climb`
// and `view`, which must outlive it.
Result<PolicyContext> policy_context(Context& context, Climb& climb, ClimbView& view);

} // namespace hone::cli
