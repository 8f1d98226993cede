// hone transforms list | show | check | new.
#include "app/catalogue.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> list(Context& context, const std::string& kernel)
{
  HONE_TRY(const std::vector<catalogue::Transformation> all, app::catalogue(kernel));
  std::vector<std::vector<std::string>> rows{{"name", "relieves", "intent"}};
  Json array = Json::array();
  for (const catalogue::Transformation& transformation : all) {
    rows.push_back({transformation.name, transformation.bottleneck, transformation.intent});
    array.push_back(to_json(transformation));
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"transformations", array}});
  return Exit::ok;
}

Result<Exit> show(Context& context, const std::string& kernel, const std::string& name)
{
  HONE_TRY(const std::vector<catalogue::Transformation> all, app::catalogue(kernel));
  HONE_TRY(const catalogue::Transformation* found, catalogue::find_transformation(all, name));
  HONE_TRY(const std::string text, read_file(found->file));
  context.terminal.out(text);
  context.print_json(to_json(*found));
  return Exit::ok;
}

Result<Exit> check(Context& context, const std::string& file)
{
  const std::vector<Error> mistakes = catalogue::check_transformation(file);
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
  DraftRequest draft;
};

Result<Exit> write_draft(Context& context, const TransformsOptions& options)
{
  DraftRequest request = options.draft;
  request.sentence = options.name;
  HONE_TRY(const DraftedStep drafted, draft_step(context, request));
  const std::string file = drafted.file.string();
  context.terminal.out(
    fmt::format("wrote {}\nput your words where the brackets are, then: hone transforms check {}", file, file));
  context.print_json(to_json(drafted));
  return Exit::ok;
}

Result<Exit> run(Context& context, const TransformsOptions& options)
{
  if (options.verb == "list") {
    return list(context, options.draft.kernel);
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
  return options.verb == "show" ? show(context, options.draft.kernel, options.name) : check(context, options.name);
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
  command->add_option("--from", options->draft.from,
                      "new: the checkpoint before the step, to draft it from what changed");
  command->add_option("--to", options->draft.to, "new: the checkpoint after it");
  command->add_option("--out", options->draft.out,
                      "new: the file to write; default KERNEL/transformations/NAME.md, or here");
  line.add_setting(command, "backend", "cpu, opencl, hlsl, cuda or hip");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
  command->add_option("--kernel", options->draft.kernel, "also the transformations that this kernel brings along");
}

} // namespace hone::cli
