#include "app/apply_step.h"

#include "app/climb_setup.h"
#include "app/model_setup.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

// The step that a sentence asks for.
Result<catalogue::Transformation> transformation_for(const policy::PolicyContext& policy, const std::string& sentence)
{
  const Place argument{"hone apply", 0, 0};
  Result<catalogue::Transformation> step = catalogue::free_transformation(sentence);
  if (!step) {
    return fail(step.error().message, step.error().hint, argument);
  }
  if (catalogue::find_transformation(policy.catalogue, step->name)) {
    return fail(fmt::format("'{}' is a step of the catalogue", step->name),
                fmt::format("`hone apply KERNEL {}` carries it out; or say more", step->name), argument);
  }
  if (!policy.engine.knows(step->name)) {
    return fail("the built-in engine carries out the steps of the catalogue only, and this is a sentence",
                "add --model (docs/models.md says who may answer), or take one of `hone transforms list`", argument);
  }
  return step;
}

} // namespace

Result<StepResult> apply_step(Context& context, const StepRequest& request)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  StepResult result;
  result.transformation = request.transformation;
  if (catalogue::is_sentence(request.transformation)) {
    HONE_TRY(catalogue::Transformation step, transformation_for(policy, request.transformation));
    result.transformation = step.name;
    climb.catalogue.push_back(std::move(step)); // which the policy looks into
  }
  HONE_TRY(result.step, policy::apply_transformation(policy, result.transformation, request.checkpoint));
  context.observer->clear_status();
  return result;
}

Json to_json(const StepResult& result)
{
  return {{"transformation", result.transformation},
          {"parent", result.step.parent},
          {"checkpoint", result.step.checkpoint},
          {"record", record::to_json(result.step.record)}};
}

} // namespace hone::app
