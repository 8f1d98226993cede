// hone check: every mistake in a kernel, with its place.
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

std::string shape_text(const Argument& argument)
{
  std::vector<std::string> extents;
  for (const ExprPtr& extent : argument.shape) {
    extents.push_back(to_text(*extent));
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

Json summary_json(const Kernel& kernel, const Work& work)
{
  Json arguments = Json::array();
  for (const Argument& argument : kernel.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"type", name_of(argument.type)},
                         {"role", name_of(argument.role)},
                         {"shape", shape_text(argument)}});
  }
  return {{"kernel", kernel.name},
          {"hash", kernel.hash},
          {"class", name_of(classify(kernel))},
          {"expression", kernel.expression_text},
          {"arguments", arguments},
          {"flops", work.flops},
          {"compulsory_bytes", work.compulsory_bytes},
          {"mistakes", Json::array()}};
}

void print_summary(const Context& context, const Kernel& kernel, const Work& work)
{
  const Terminal& terminal = context.terminal;
  terminal.out(fmt::format("{} {}", terminal.paint(Tone::good, "right"), terminal.paint(Tone::strong, kernel.name)));
  for (const Statement& statement : kernel.program.statements) {
    terminal.out("  " + to_text(statement));
  }
  std::vector<std::vector<std::string>> rows;
  for (const Argument& argument : kernel.arguments) {
    rows.push_back({"  " + argument.name, std::string(name_of(argument.type)) + shape_text(argument),
                    std::string(name_of(argument.role))});
  }
  terminal.out(aligned_table(rows));
  terminal.out(fmt::format("  {}; at {}: {:.3g} flops, {} compulsory traffic", name_of(classify(kernel)),
                           to_text(kernel.timed.front()), work.flops, format_bytes(work.compulsory_bytes)));
}

Result<Exit> check(Context& context, const std::string& path)
{
  const std::vector<Error> mistakes = check_kernel(path);
  if (mistakes.empty()) {
    HONE_TRY(const Kernel kernel, load_kernel(path));
    HONE_TRY(const Work work, work_of(kernel, kernel.timed.front()));
    print_summary(context, kernel, work);
    context.print_json(summary_json(kernel, work));
    return Exit::ok;
  }
  Json list = Json::array();
  for (const Error& mistake : mistakes) {
    context.terminal.out(mistake.text());
    list.push_back(mistake_json(mistake));
  }
  context.terminal.out(fmt::format("{} mistake{}", mistakes.size(), mistakes.size() == 1 ? "" : "s"));
  context.print_json({{"mistakes", list}});
  return Exit::negative;
}

} // namespace

void add_check(CommandLine& line)
{
  auto path = std::make_shared<std::string>(".");
  CLI::App* command = line.add("check", "Check a kernel's files and say what they mean", {"hone check kernels/matmul"},
                               [path](Context& context) { return check(context, *path); });
  command->add_option("KERNEL", *path, "kernel folder or kernel.toml")->required();
}

} // namespace hone::cli
