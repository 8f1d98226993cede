// hone transforms list | show | check | new.
#include "cli/format.h"
#include "cli/workbench.h"
#include "transform/transform.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Json transformation_json(const Transformation& transformation)
{
  Json parameters = Json::array();
  for (const TransformationParameter& parameter : transformation.parameters) {
    parameters.push_back({{"name", parameter.name}, {"values", parameter.values}, {"meaning", parameter.meaning}});
  }
  Json passes = Json::array();
  for (const Pass& pass : transformation.passes) {
    passes.push_back({{"name", pass.name}, {"region", name_of(pass.region)}, {"instruction", pass.instruction}});
  }
  Json classes = Json::array();
  for (const KernelClass kernel_class : transformation.classes) {
    classes.push_back(name_of(kernel_class));
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

Result<std::vector<Transformation>> catalogue(const std::string& kernel)
{
  return load_catalogue(share_folder() / "transformations", kernel);
}

Result<Exit> list(Context& context, const std::string& kernel)
{
  HONE_TRY(const std::vector<Transformation> all, catalogue(kernel));
  std::vector<std::vector<std::string>> rows{{"name", "relieves", "intent"}};
  Json array = Json::array();
  for (const Transformation& transformation : all) {
    rows.push_back({transformation.name, transformation.bottleneck, transformation.intent});
    array.push_back(transformation_json(transformation));
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"transformations", array}});
  return Exit::ok;
}

Result<Exit> show(Context& context, const std::string& kernel, const std::string& name)
{
  HONE_TRY(const std::vector<Transformation> all, catalogue(kernel));
  HONE_TRY(const Transformation* found, find_transformation(all, name));
  HONE_TRY(const std::string text, read_file(found->file));
  context.terminal.out(text);
  context.print_json(transformation_json(*found));
  return Exit::ok;
}

Result<Exit> check(Context& context, const std::string& file)
{
  const std::vector<Error> mistakes = check_transformation(file);
  Json array = Json::array();
  for (const Error& mistake : mistakes) {
    context.terminal.out(mistake.text());
    array.push_back(mistake_json(mistake));
  }
  if (mistakes.empty()) {
    context.terminal.out(fmt::format("{} {}", context.terminal.paint(Tone::good, "right"), file));
  }
  context.print_json({{"file", file}, {"mistakes", array}});
  return mistakes.empty() ? Exit::ok : Exit::negative;
}

struct TransformsOptions {
  std::string verb = "list";
  std::string name;
  std::string kernel;
  std::string from, to; // checkpoints
  std::string out;
};

// Parameters that the second plan has and the first has not.
std::vector<TransformationParameter> brought_in(const Candidate& before, const Candidate& after)
{
  std::vector<TransformationParameter> brought;
  for (const TuningParameter& parameter : after.plan.tuning.parameters) {
    const auto& known = before.plan.tuning.parameters;
    if (std::ranges::find(known, parameter.name, &TuningParameter::name) == known.end()) {
      brought.push_back({parameter.name, parameter.values, ""});
    }
  }
  return brought;
}

// Adds what two checkpoints of a kernel's workflow say.
Result<void> add_difference(const Workbench& bench, const TransformsOptions& options, Draft& draft)
{
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const Checkpoint before, workflow.find(options.from));
  HONE_TRY(const Checkpoint after, workflow.find(options.to));
  HONE_TRY(draft.difference, workflow.diff(before.id, after.id));
  draft.parameters = brought_in(before.candidate, after.candidate);
  return {};
}

Result<Exit> write_draft(Context& context, const TransformsOptions& options)
{
  const Place place{"hone transforms new", 0, 0};
  if (options.from.empty() != options.to.empty() || (!options.from.empty() && options.kernel.empty())) {
    return fail("--from and --to belong together, and need --kernel",
                "hone transforms new \"block the rows\" --kernel matmul --from start --to best", place);
  }
  HONE_TRY(const Transformation step, free_transformation(options.name));
  Draft draft{options.name, context.settings.text("backend"), {}, {}, {}};
  fs::path file = step.name + ".md";
  if (!options.kernel.empty()) {
    HONE_TRY(const Workbench bench, open_workbench(context, {options.kernel, {}}));
    draft.kernel_class = classify(*bench.kernel);
    file = bench.kernel->folder / "transformations" / file;
    if (!options.from.empty()) {
      HONE_CHECK(add_difference(bench, options, draft));
    }
  }
  HONE_TRY(const std::vector<Transformation> known, catalogue(options.kernel));
  if (options.out.empty() && find_transformation(known, step.name)) {
    return fail(fmt::format("'{}' is a step of the catalogue already", step.name),
                "say it in other words, or choose a file with --out", place);
  }
  file = options.out.empty() ? file : fs::path(options.out);
  HONE_TRY(const std::string text, draft_transformation(draft));
  if (fs::exists(file)) {
    return fail(fmt::format("'{}' exists already", file.string()), "say it in other words, or choose a file with --out",
                place);
  }
  std::error_code none_made; // the file's own error says what is wrong
  fs::create_directories(file.parent_path(), none_made);
  HONE_CHECK(write_file(file, text));
  context.terminal.out(fmt::format("wrote {}\nput your words where the brackets are, then: hone transforms check {}",
                                   file.string(), file.string()));
  context.print_json({{"name", step.name}, {"file", file.string()}, {"text", text}});
  return Exit::ok;
}

Result<Exit> run(Context& context, const TransformsOptions& options)
{
  if (options.verb == "list") {
    return list(context, options.kernel);
  }
  if (options.name.empty()) {
    return fail(
      fmt::format("`hone transforms {}` needs {}", options.verb, options.verb == "new" ? "a sentence" : "a name"),
      options.verb == "new" ? "hone transforms new \"block the rows\"" : "`hone transforms list` shows them",
      Place{"hone transforms", 0, 0});
  }
  if (options.verb == "new") {
    return write_draft(context, options);
  }
  return options.verb == "show" ? show(context, options.kernel, options.name) : check(context, options.name);
}

} // namespace

void add_transforms(CommandLine& line)
{
  auto options = std::make_shared<TransformsOptions>();
  CLI::App* command =
    line.add("transforms", "List, show, check or draft natural transformations",
             {"hone transforms list", "hone transforms show cache-tiling", "hone transforms check my-step.md",
              "hone transforms new \"block the rows\" --kernel kernels/matmul --from start --to best"},
             [options](Context& context) { return run(context, *options); });
  command->add_option("VERB", options->verb, "list, show, check or new")
    ->check(CLI::IsMember({"list", "show", "check", "new"}));
  command->add_option("NAME", options->name,
                      "a transformation's name (show), its file (check), or what a new one does, in a sentence");
  command->add_option("--from", options->from, "new: the checkpoint before the step, to draft it from what changed");
  command->add_option("--to", options->to, "new: the checkpoint after it");
  command->add_option("--out", options->out, "new: the file to write; default KERNEL/transformations/NAME.md, or here");
  line.add_setting(command, "backend", "cpu or opencl");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
  command->add_option("--kernel", options->kernel, "also the transformations that this kernel brings along");
}

} // namespace hone::cli
