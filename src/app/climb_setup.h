// What optimize, tune and apply run on: bench, executor, workflow, catalogue and ceilings.
#pragma once

#include "app/workbench.h"
#include "policy/policy.h"
#include "rewrite/model_engine.h"

namespace hone::app {

// Everything the climb runs on, kept alive together.
struct Climb {
  Workbench bench;
  std::unique_ptr<execute::LocalExecutor> executor;
  store::Workflow workflow;
  std::vector<catalogue::Transformation> catalogue;
  gate::Ceilings ceilings;
  ClimbScale scale;
  std::unique_ptr<rewrite::Engine> model; // who carries steps out in place of the built-in engine; null: nobody
};

Result<Climb> open_climb(Context& context, const KernelRequest& request);
// Steps are carried out by climb.model, where that is set, else by the built-in engine. Each is told to the context's
// observer. What is returned refers to `climb`, which must outlive it.
Result<policy::PolicyContext> policy_context(Context& context, Climb& climb);

} // namespace hone::app
