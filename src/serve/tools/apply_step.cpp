#include "app/apply_step.h"

#include "app/figures.h"
#include "serve/tools/tool_list.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

Outcome outcome_of(const app::StepResult& result)
{
  const record::Verdict& verdict = result.step.record.verdict;
  Json json = short_verdict(verdict);
  json["step"] = result.transformation;
  json["parent"] = result.step.parent;
  json["checkpoint"] = result.step.checkpoint.empty() ? Json(nullptr) : Json(result.step.checkpoint);
  std::string summary =
    fmt::format("{} on {}: {}", result.transformation, app::short_id(result.step.parent), app::verdict_text(verdict));
  if (!result.step.checkpoint.empty()) {
    summary += "; checkpoint " + app::short_id(result.step.checkpoint);
  }
  return {std::move(summary), std::move(json), app::to_json(result)};
}

Result<ToolAnswer> call_apply_step(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  app::StepRequest request;
  request.kernel = use.request;
  request.transformation = text_in(call.arguments, "step");
  request.checkpoint = text_in(call.arguments, "checkpoint", "best");
  return run_as_job(
    call, "apply_step", use.name + ": " + request.transformation,
    [settings = use.settings, request](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::StepResult result, app::apply_step(context, request));
      return outcome_of(result);
    });
}

} // namespace

Tool apply_step_tool()
{
  Tool tool;
  tool.name = "apply_step";
  tool.title = "Carry an optimisation step out";
  tool.description =
    "The built-in engine carries a step of the catalogue out on a checkpoint, and the gate judges the result against "
    "that checkpoint. A right result becomes a checkpoint. `start` is made first where there is none. Example: "
    "apply_step {\"kernel\": \"matmul\", \"step\": \"reorder-loops\", \"checkpoint\": \"start\"}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"step", text_schema("A step's name, as list_steps says."), true});
  members.push_back({"checkpoint", text_schema("id, prefix, branch, best or start. Default: best.")});
  members.push_back(wait_member());
  tool.input = object_schema("What to do.", members);
  tool.output =
    job_output_schema(any_object_schema("step, parent, checkpoint, and the members of run_candidate's result"));
  tool.read_only = false;
  tool.idempotent = false;
  tool.call = call_apply_step;
  return tool;
}

} // namespace hone::serve
