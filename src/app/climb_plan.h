// What a climb would do, before anything is built or measured.
#pragma once

#include "app/climb.h"
#include "policy/planned_steps.h"

#include <string>
#include <vector>

namespace hone::app {

struct ClimbPlan {
  std::string kernel, backend, policy, engine;
  record::Recipe recipe;
  policy::StepPlan steps;
  std::vector<std::string> libraries; // with their settings; empty: none is compared with
  std::int64_t budget_s = 0;
  fs::path state; // where the workflow would be
};

Result<ClimbPlan> plan_climb(const Context& context, const ClimbRequest& request);
Json to_json(const ClimbPlan& plan);

} // namespace hone::app
