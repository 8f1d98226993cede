#include "app/catalogue.h"

#include "app/workbench.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::app {

namespace {

// Parameters that the second plan has and the first has not.
std::vector<catalogue::TransformationParameter> brought_in(const kernel::Candidate& before,
                                                           const kernel::Candidate& after)
{
  std::vector<catalogue::TransformationParameter> brought;
  for (const kernel::TuningParameter& parameter : after.plan.tuning.parameters) {
    const auto& known = before.plan.tuning.parameters;
    if (std::ranges::find(known, parameter.name, &kernel::TuningParameter::name) == known.end()) {
      brought.push_back({parameter.name, parameter.values, ""});
    }
  }
  return brought;
}

// Adds what two checkpoints of a kernel's workflow say.
Result<void> add_difference(const Workbench& bench, const DraftRequest& request, catalogue::Draft& draft)
{
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const store::Checkpoint before, workflow.find(request.from));
  HONE_TRY(const store::Checkpoint after, workflow.find(request.to));
  HONE_TRY(draft.difference, workflow.diff(before.id, after.id));
  draft.parameters = brought_in(before.candidate, after.candidate);
  return {};
}

} // namespace

Result<std::vector<catalogue::Transformation>> catalogue(const std::string& kernel)
{
  return catalogue::load_catalogue(share_folder() / "transformations", kernel);
}

Result<DraftedStep> draft_step(const Context& context, const DraftRequest& request)
{
  const Place place{"hone transforms new", 0, 0};
  if (request.from.empty() != request.to.empty() || (!request.from.empty() && request.kernel.empty())) {
    return fail("--from and --to belong together, and need --kernel",
                "hone transforms new \"block the rows\" --kernel matmul --from start --to best", place);
  }
  HONE_TRY(const catalogue::Transformation step, catalogue::free_transformation(request.sentence));
  catalogue::Draft draft{request.sentence, context.settings.text("backend"), {}, {}, {}};
  fs::path file = step.name + ".md";
  if (!request.kernel.empty()) {
    HONE_TRY(const Workbench bench, open_workbench(context, {request.kernel, {}}));
    draft.kernel_class = kernel::classify(*bench.kernel);
    file = bench.kernel->folder / "transformations" / file;
    if (!request.from.empty()) {
      HONE_CHECK(add_difference(bench, request, draft));
    }
  }
  HONE_TRY(const std::vector<catalogue::Transformation> known, catalogue(request.kernel));
  if (request.out.empty() && catalogue::find_transformation(known, step.name)) {
    return fail(fmt::format("'{}' is a step of the catalogue already", step.name),
                "say it in other words, or choose a file with --out", place);
  }
  file = request.out.empty() ? file : fs::path(request.out);
  HONE_TRY(const std::string text, catalogue::draft_transformation(draft));
  if (fs::exists(file)) {
    return fail(fmt::format("'{}' exists already", file.string()), "say it in other words, or choose a file with --out",
                place);
  }
  std::error_code none_made; // the file's own error says what is wrong
  fs::create_directories(file.parent_path(), none_made);
  HONE_CHECK(write_file(file, text));
  return DraftedStep{step.name, file, text};
}

Json to_json(const catalogue::Transformation& transformation)
{
  Json parameters = Json::array();
  for (const catalogue::TransformationParameter& parameter : transformation.parameters) {
    parameters.push_back({{"name", parameter.name}, {"values", parameter.values}, {"meaning", parameter.meaning}});
  }
  Json passes = Json::array();
  for (const catalogue::Pass& pass : transformation.passes) {
    passes.push_back(
      {{"name", pass.name}, {"region", catalogue::name_of(pass.region)}, {"instruction", pass.instruction}});
  }
  Json classes = Json::array();
  for (const kernel::KernelClass kernel_class : transformation.classes) {
    classes.push_back(kernel::name_of(kernel_class));
  }
  return {{"name", transformation.name},
          {"intent", transformation.intent},
          {"bottleneck", transformation.bottleneck},
          {"classes", classes},
          {"backends", transformation.backends},
          {"after", transformation.after},
          {"parameters", parameters},
          {"passes", passes},
          {"file", transformation.file.string()}};
}

Json to_json(const DraftedStep& drafted)
{
  return {{"name", drafted.name}, {"file", drafted.file.string()}, {"text", drafted.text}};
}

} // namespace hone::app
