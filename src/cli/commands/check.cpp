// hone check: every mistake in a kernel, with its place.
#include "app/check_kernel.h"
#include "catalogue/schema.h"
#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/streams.h"
#include "kernel/schema.h"
#include "policy/schema.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

void print_summary(const Terminal& terminal, const kernel::Kernel& kernel, const kernel::Work& work)
{
  terminal.out(
    fmt::format("{} {}", terminal.paint(Tone::good, "no mistakes in"), terminal.paint(Tone::strong, kernel.name)));
  for (const std::string& line : split(kernel.expression_text, '\n')) {
    if (!trim(line).empty()) {
      terminal.out("  " + std::string(trim(line)));
    }
  }
  if (kernel.reference != kernel::ReferenceKind::expression) {
    terminal.out(fmt::format("  no expression: the {} says what is right, within {:g} + {:g} of the value",
                             kernel::name_of(kernel.reference), kernel.accuracy.tolerance.absolute,
                             kernel.accuracy.tolerance.relative));
  }
  if (kernel.reference == kernel::ReferenceKind::expression && !kernel::has_derived_bounds(kernel)) {
    terminal.out("  accuracy: " + kernel::accuracy_text(kernel));
  }
  if (kernel.accuracy.tolerance.is_given()) {
    terminal.out("  `hone lint` says whether zeros are within that tolerance");
  }
  std::vector<std::vector<std::string>> rows;
  for (const kernel::Argument& argument : kernel.arguments) {
    rows.push_back({"  " + argument.name, std::string(kernel::name_of(argument.type)) + shape_text(argument),
                    std::string(kernel::name_of(argument.role))});
  }
  terminal.out(aligned_table(rows));
  terminal.out(fmt::format("  {}; at {}: {:.3g} flops, {} compulsory traffic",
                           kernel::name_of(kernel::classify(kernel)), kernel::to_text(kernel.timed.front()), work.flops,
                           format_bytes(work.compulsory_bytes)));
}

void print_explanation(const Terminal& terminal, const kernel::Kernel& kernel, const InferredSemantics& explanation)
{
  std::vector<std::vector<std::string>> rows;
  terminal.out("\nstatements, the type that is stored, and where the indices run:");
  for (const ExplainedStatement& statement : explanation.statements) {
    rows.push_back(
      {"  " + statement.target, statement.type, statement.ranges, statement.intermediate ? "intermediate" : "output"});
  }
  terminal.out(aligned_table(rows));
  rows.clear();
  for (const ExplainedDomain& domain : explanation.domains) {
    rows.push_back({"  " + domain.argument, domain.values, domain.given ? "as written" : "inferred"});
  }
  terminal.out("values that inputs are drawn from:");
  terminal.out(aligned_table(rows));
  rows.clear();
  for (const ExplainedFunction& function : explanation.functions) {
    rows.push_back({"  " + function.signature, "= " + function.definition});
  }
  if (!rows.empty()) {
    terminal.out("functions of the language:");
    terminal.out(aligned_table(rows));
  }
  terminal.out(
    fmt::format("accumulated in {}: error bounds follow docs/correctness.md", kernel::name_of(kernel.accumulate)));
}

struct CheckOptions {
  std::string kernel;
  bool explain = false;
  std::string schema; // a file kind, "all", or "" for none
};

// The file kinds of which `--schema` knows the schema.
const std::vector<std::pair<std::string, Json (*)()>> k_schemas = {
  {"kernel", kernel::kernel_file_schema},
  {"launch", kernel::launch_file_schema},
  {"transformation", catalogue::transformation_head_schema},
  {"steps", policy::step_list_schema},
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
  HONE_TRY(const CheckedKernel checked, check_kernel_files(given, explained));
  context.print_json(to_json(checked));
  if (checked.kernel) {
    print_summary(context.terminal, *checked.kernel, checked.work);
    if (checked.explanation) {
      print_explanation(context.terminal, *checked.kernel, *checked.explanation);
    }
    return Exit::ok;
  }
  for (const Error& mistake : checked.mistakes) {
    context.terminal.out(mistake.text());
  }
  const std::size_t mistakes = checked.mistakes.size();
  context.terminal.out(fmt::format("{} mistake{}", mistakes, mistakes == 1 ? "" : "s"));
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
