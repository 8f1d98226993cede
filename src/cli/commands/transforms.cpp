// hone transforms list | show | check.
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
};

Result<Exit> run(Context& context, const TransformsOptions& options)
{
  if (options.verb == "list") {
    return list(context, options.kernel);
  }
  if (options.name.empty()) {
    return fail(fmt::format("`hone transforms {}` needs a name", options.verb), "`hone transforms list` shows them",
                Place{"hone transforms", 0, 0});
  }
  return options.verb == "show" ? show(context, options.kernel, options.name) : check(context, options.name);
}

} // namespace

void add_transforms(CommandLine& line)
{
  auto options = std::make_shared<TransformsOptions>();
  CLI::App* command =
    line.add("transforms", "List, show or check natural transformations",
             {"hone transforms list", "hone transforms show cache-tiling", "hone transforms check my-step.md"},
             [options](Context& context) { return run(context, *options); });
  command->add_option("VERB", options->verb, "list, show or check")->check(CLI::IsMember({"list", "show", "check"}));
  command->add_option("NAME", options->name, "a transformation's name (show) or file (check)");
  command->add_option("--kernel", options->kernel, "also the transformations that this kernel brings along");
}

} // namespace hone::cli
