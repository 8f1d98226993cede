// hone profile, hone tools: performance tools on a candidate, and which there are.
#include "app/profile.h"

#include "cli/command_line.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

constexpr std::size_t k_usual_tokens = 1000;

Result<Exit> print_import(Context& context, const std::string& file, std::size_t tokens)
{
  HONE_TRY(const tools::Report report, profile_from_file(context, file));
  context.terminal.out(tools::to_text(report, tokens));
  context.print_json({{"reports", Json::array({tools::to_json(report)})}});
  return Exit::ok;
}

Result<Exit> print_profile(Context& context, const ProfileRequest& request, std::size_t tokens)
{
  HONE_TRY(const Profile result, profile(context, request));
  bool any = false;
  for (const ToolOutcome& one : result.outcomes) {
    if (one.report) {
      context.terminal.out(tools::to_text(*one.report, tokens));
      any = true;
    } else {
      context.terminal.out(fmt::format("{}: {}", one.tool, one.report.error().text()));
    }
  }
  context.print_json(to_json(result));
  return result.stopped ? Exit::interrupted : any ? Exit::ok : Exit::failed;
}

Result<Exit> print_tools(Context& context, const std::string& name)
{
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{{"tool", "what it tells"}};
  for (const tools::Tool* tool : tools::tools()) {
    if (name.empty() || tool->name() == name) {
      list.push_back(tool_json(*tool));
      rows.push_back({std::string(tool->name()), std::string(tool->summary())});
      for (const tools::ToolArgument& argument :
           name.empty() ? std::vector<tools::ToolArgument>() : tool->arguments()) {
        rows.push_back({fmt::format("  {}={}", argument.name, argument.otherwise.dump()), argument.meaning});
      }
    }
  }
  if (list.empty()) {
    Error error = tools::find_tool(name).error();
    error.place = Place{"TOOL", 0, 0};
    return std::unexpected(std::move(error));
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"tools", std::move(list)}});
  return Exit::ok;
}

} // namespace

void add_profile(CommandLine& line)
{
  auto options = std::make_shared<ProfileRequest>();
  auto tokens = std::make_shared<std::size_t>(k_usual_tokens);
  auto file = std::make_shared<std::string>();
  auto command_of = std::make_shared<CLI::App*>(nullptr);
  CLI::App* command =
    line.add("profile", "Look at a candidate with performance tools: compiler report, instructions, memory, roofline",
             {"hone profile kernels/matmul", "hone profile kernels/matmul best --tool instructions",
              "hone profile kernels/matmul best --tool compare --against start",
              "hone profile kernels/softmax ./mine --tool memory --with memory.lines=20",
              "hone profile kernels/matmul naive --json", "hone profile --import report.csv"},
             [options, tokens, file, command_of](Context& context) -> Result<Exit> {
               if (!file->empty()) {
                 return print_import(context, *file, *tokens);
               }
               if ((*command_of)->count("KERNEL") == 0) {
                 return fail("KERNEL is required", "name a kernel, or a file: --import FILE", Place{"KERNEL", 0, 0});
               }
               return print_profile(context, *options, *tokens);
             });
  *command_of = command;
  add_kernel_options(line, command, options->kernel);
  command->get_option("KERNEL")->required(false);
  command->add_option("--import", *file,
                      "instead of a kernel: a file of ncu, nsys or rocprofv3 (CSV, SQLite, .ncu-rep)");
  command->add_option("CANDIDATE", options->candidate,
                      "checkpoint (id, prefix, branch, best, start), candidate folder, or naive (default: best, else "
                      "naive)");
  command->add_option("--against", options->against, "another candidate, for the tool compare");
  command->add_option("--tool", options->tools, "only these (hone tools lists them)");
  command->add_option("--with", options->arguments, "arguments of tools: TOOL.NAME=VALUE");
  command->add_option("--tokens", *tokens, "most tokens of one report, about (default: 1000)");
}

void add_tools(CommandLine& line)
{
  auto name = std::make_shared<std::string>();
  CLI::App* command = line.add("tools", "List the performance tools, or show the arguments of one",
                               {"hone tools", "hone tools memory --json"},
                               [name](Context& context) { return print_tools(context, *name); });
  command->add_option("TOOL", *name, "one of them");
}

} // namespace hone::cli
