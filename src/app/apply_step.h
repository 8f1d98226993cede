// One transformation on one checkpoint, through the gate.
#pragma once

#include "app/workbench.h"
#include "policy/policy.h"

#include <string>

namespace hone::app {

struct StepRequest {
  KernelRequest kernel;
  std::string transformation; // name, or a sentence for a model
  std::string checkpoint = "best";
};

struct StepResult {
  std::string transformation; // its name
  policy::AppliedStep step;
};

Result<StepResult> apply_step(Context& context, const StepRequest& request);
Json to_json(const StepResult& result);

} // namespace hone::app
