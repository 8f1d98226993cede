// hone check: every mistake in a kernel, with its place.
#include "cli/format.h"
#include "cli/kernel_path.h"
#include "cli/streams.h"
#include "cli/workbench.h"
#include "kernel/function_library.h"
#include "kernel/schema.h"
#include "policy/schema.h"
#include "transform/schema.h"

#include <fmt/format.h>

#include <cmath>

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
          {"reference", name_of(kernel.reference)},
          {"arguments", arguments},
          {"flops", work.flops},
          {"compulsory_bytes", work.compulsory_bytes},
          {"mistakes", Json::array()}};
}

void print_summary(const Context& context, const Kernel& kernel, const Work& work)
{
  const Terminal& terminal = context.terminal;
  terminal.out(fmt::format("{} {}", terminal.paint(Tone::good, "right"), terminal.paint(Tone::strong, kernel.name)));
  for (const std::string& line : split(kernel.expression_text, '\n')) {
    if (!trim(line).empty()) {
      terminal.out("  " + std::string(trim(line)));
    }
  }
  if (kernel.reference != ReferenceKind::expression) {
    terminal.out(fmt::format("  no expression: the {} says what is right, within {:g} + {:g} of the value",
                             name_of(kernel.reference), kernel.tolerance.absolute, kernel.tolerance.relative));
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

std::string signature(const LibraryFunction& function)
{
  return fmt::format("{}({})", function.name, fmt::join(function.parameters, ", "));
}

std::string domain_text(const Argument& argument)
{
  const auto end = [](const ExprPtr& expression, double number) {
    return expression                   ? to_text(*expression)
           : std::fabs(number) >= 1e300 ? (number < 0 ? "-inf" : "inf")
                                        : fmt::format("{}", number);
  };
  if (argument.domain.is_unbounded() && !argument.lowest && !argument.highest) {
    return "all finite values";
  }
  return fmt::format("[{}, {}]", end(argument.lowest, argument.domain.low),
                     end(argument.highest, argument.domain.high));
}

// What the expression leaves unsaid: types, ranges, the values that inputs take, the formulas behind names.
Json explain(const Context& context, const Kernel& kernel)
{
  const Terminal& terminal = context.terminal;
  Json statements = Json::array();
  std::vector<std::vector<std::string>> rows;
  terminal.out("\nstatements, the type that is stored, and where the indices run:");
  for (const Statement& statement : kernel.program.statements) {
    std::string ranges;
    for (const IndexRange& range : statement.indices) {
      ranges += fmt::format("{}{} < {}", ranges.empty() ? "" : ", ", range.name, to_text(*range.upper));
    }
    rows.push_back({"  " + statement.target, std::string(name_of(statement.type)), ranges,
                    statement.intermediate ? "intermediate" : "output"});
    statements.push_back({{"target", statement.target},
                          {"type", name_of(statement.type)},
                          {"ranges", ranges},
                          {"intermediate", statement.intermediate}});
  }
  terminal.out(aligned_table(rows));
  rows.clear();
  Json domains = Json::object();
  for (const Argument& argument : kernel.arguments) {
    if (argument.role != Role::output) {
      rows.push_back({"  " + argument.name, domain_text(argument), argument.domain_given ? "as written" : "inferred"});
      domains[argument.name] = domain_text(argument);
    }
  }
  terminal.out("values that inputs are drawn from:");
  terminal.out(aligned_table(rows));
  rows.clear();
  Json functions = Json::object();
  for (const LibraryFunction* function : library_functions_in(kernel)) {
    rows.push_back({"  " + signature(*function), "= " + std::string(function->definition)});
    functions[signature(*function)] = function->definition;
  }
  if (!rows.empty()) {
    terminal.out("functions of the language:");
    terminal.out(aligned_table(rows));
  }
  terminal.out(fmt::format("accumulated in {}: error bounds follow docs/correctness.md", name_of(kernel.accumulate)));
  return {{"statements", statements}, {"domains", domains}, {"functions", functions}};
}

struct CheckOptions {
  std::string kernel;
  bool explain = false;
  std::string schema; // a file kind, "all", or "" for none
};

// The file kinds of which `--schema` knows the schema.
const std::vector<std::pair<std::string, Json (*)()>> k_schemas = {{"kernel", kernel_file_schema},
                                                                   {"launch", launch_file_schema},
                                                                   {"transformation", transformation_head_schema},
                                                                   {"steps", step_list_schema},
                                                                   {"config", settings_schema}};

Exit print_schema(const std::string& kind)
{
  Json all = Json::object();
  for (const auto& [name, schema] : k_schemas) {
    all[name] = schema();
  }
  print_out((kind == "all" ? all : all.at(kind)).dump(2) + "\n");
  return Exit::ok;
}

Result<Exit> check(Context& context, const std::string& given, bool explained)
{
  const fs::path path = kernel_path(given);
  const std::vector<Error> mistakes = check_kernel(path);
  if (mistakes.empty()) {
    HONE_TRY(const Kernel kernel, load_kernel(path));
    HONE_TRY(const Work work, work_of(kernel, kernel.timed.front()));
    print_summary(context, kernel, work);
    Json summary = summary_json(kernel, work);
    if (explained) {
      summary["explanation"] = explain(context, kernel);
    }
    context.print_json(summary);
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

Result<Exit> check_or_schema(Context& context, const CheckOptions& options)
{
  if (options.kernel.empty() == options.schema.empty()) {
    return fail("`hone check` takes either a kernel or --schema",
                "hone check kernels/matmul; or: hone check --schema kernel", Place{"hone check", 0, 0});
  }
  return options.schema.empty() ? check(context, options.kernel, options.explain) : print_schema(options.schema);
}

} // namespace

void add_check(CommandLine& line)
{
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = line.add("check", "Check a kernel's files and say what they mean",
                               {"hone check kernels/matmul", "hone check --explain kernels/gelu",
                                "hone check --schema kernel > kernel.schema.json   # for an editor; docs/cli.md"},
                               [options](Context& context) { return check_or_schema(context, *options); });
  std::vector<std::string> kinds{"all"};
  for (const auto& [name, schema] : k_schemas) {
    kinds.push_back(name);
  }
  command->add_option("KERNEL", options->kernel, "kernel folder, kernel.toml, or a shipped kernel's name");
  command->add_flag("--explain", options->explain, "types, ranges, domains, and the formulas behind function names");
  command->add_option("--schema", options->schema, "print the JSON schema of a kind of file instead; of all kinds: all")
    ->expected(0, 1)
    ->default_str("all")
    ->check(CLI::IsMember(kinds));
}

} // namespace hone::cli
