#include "app/climb_plan.h"

#include <fmt/format.h>

namespace hone::app {

Result<ClimbPlan> plan_climb(const Context& context, const ClimbRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const auto catalogue, catalogue::load_catalogue(share_folder() / "transformations", bench.kernel->folder));
  ClimbPlan plan;
  plan.kernel = bench.kernel->name;
  plan.backend = bench.backend->name();
  plan.policy = context.settings.text("policy");
  const std::string& model = context.settings.text("model");
  plan.engine = model.empty() ? "builtin" : model;
  plan.recipe = bench.recipe;
  HONE_TRY(plan.steps, policy::planned_steps(plan.policy, request.steps, *bench.kernel, bench.recipe.sizes,
                                             bench.backend->name(), catalogue));
  HONE_TRY(plan.budget_s, context.settings.integer("budget"));
  plan.state = bench.state;
  if (!request.no_baselines && plan.budget_s >= k_shortest_with_libraries_s) {
    for (const gate::Baseline& baseline : gate::baselines_for(*bench.kernel, bench.recipe.sizes, *bench.backend)) {
      plan.libraries.push_back(baseline.setting.empty() ? baseline.name
                                                        : fmt::format("{} ({})", baseline.name, baseline.setting));
    }
  }
  return plan;
}

Json to_json(const ClimbPlan& plan)
{
  Json steps = Json::array();
  for (const policy::PlannedStep& step : plan.steps.steps) {
    steps.push_back({{"name", step.name}, {"applies", step.applies}, {"remark", step.remark}});
  }
  return {{"kernel", plan.kernel},
          {"backend", plan.backend},
          {"policy", plan.policy},
          {"engine", plan.engine},
          {"recipe", record::to_json(plan.recipe)},
          {"in_order", plan.steps.in_order},
          {"steps", steps},
          {"libraries", plan.libraries},
          {"budget_s", plan.budget_s},
          {"state", plan.state.string()}};
}

} // namespace hone::app
