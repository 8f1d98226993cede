// What a policy would try, before anything is measured.
#pragma once

#include "catalogue/catalogue.h"
#include "kernel/kernel.h"
#include "util/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::policy {

struct PlannedStep {
  std::string name;   // a transformation's, or "tune"
  std::string remark; // "up to 200 points"; or why it does not apply to this kernel
  bool applies = true;
};

struct StepPlan {
  bool in_order = true; // or any of them, as measurements say
  std::vector<PlannedStep> steps;
};

// `recipe_file`: as for make_policy(). Whether a step applies here is said by its conditions on kernel and backend;
// that the engine can carry it out shows only in the climb.
Result<StepPlan> planned_steps(std::string_view policy, const fs::path& recipe_file, const kernel::Kernel& kernel,
                               const kernel::Sizes& sizes, std::string_view backend,
                               const std::vector<catalogue::Transformation>& catalogue);

} // namespace hone::policy
