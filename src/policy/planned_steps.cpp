#include "policy/planned_steps.h"

#include "policy/recipe_file.h"

#include <fmt/format.h>

namespace hone::policy {

namespace {

PlannedStep planned(const catalogue::Transformation& transformation, const kernel::Kernel& kernel,
                    std::string_view backend)
{
  // A transformation that must come first is no obstacle: it may come first.
  const auto reason = catalogue::why_not_applicable(transformation, kernel, backend, transformation.after);
  return {transformation.name, reason ? "does not apply: " + *reason : "", !reason};
}

} // namespace

Result<StepPlan> planned_steps(std::string_view policy, const fs::path& recipe_file, const kernel::Kernel& kernel,
                               const kernel::Sizes& sizes, std::string_view backend,
                               const std::vector<catalogue::Transformation>& catalogue)
{
  StepPlan plan;
  if (policy != "sequence") {
    plan.in_order = false;
    for (const catalogue::Transformation& transformation : catalogue) {
      if (PlannedStep step = planned(transformation, kernel, backend); step.applies) {
        plan.steps.push_back(std::move(step));
      }
    }
    plan.steps.push_back({"tune", "at the end"});
    return plan;
  }
  HONE_TRY(const StepList list,
           recipe_file.empty() ? shipped_step_list(kernel, sizes, backend) : load_step_list(recipe_file));
  for (const RecipeStep& step : list.steps) {
    if (step.apply.empty()) {
      plan.steps.push_back({"tune", fmt::format("up to {} points", step.tune)});
      continue;
    }
    auto found = catalogue::find_transformation(catalogue, step.apply);
    if (!found) {
      found.error().place = step.place;
      return std::unexpected(std::move(found.error()));
    }
    plan.steps.push_back(planned(**found, kernel, backend));
  }
  return plan;
}

} // namespace hone::policy
