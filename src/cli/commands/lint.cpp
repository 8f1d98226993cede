// hone lint: does a kernel's check tell right from wrong?
#include "app/lint.h"

#include "cli/command_line.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

std::string result_text(const gate::LintRow& row, const char* proven, const char* refused)
{
  switch (row.outcome) {
  case gate::LintRow::Outcome::proven:
    return proven;
  case gate::LintRow::Outcome::refused:
    return refused;
  case gate::LintRow::Outcome::not_applicable:
    break;
  }
  return "does not apply";
}

std::string where_text(const gate::LintRow& row)
{
  if (row.calls == 0) {
    return row.reason;
  }
  return fmt::format("{} values{}{}", row.values, row.sizes.empty() ? "" : ", ", kernel::to_text(row.sizes));
}

std::string subject_text(const gate::LintRow& row, bool many_outputs)
{
  return many_outputs ? fmt::format("{}: {}", row.output, row.subject) : row.subject;
}

// Solutions that must fail: by what each was found out.
void print_degenerate(const Terminal& terminal, const std::vector<gate::LintRow>& rows)
{
  const bool many =
    std::ranges::any_of(rows, [&](const gate::LintRow& row) { return row.output != rows.front().output; });
  std::vector<std::vector<std::string>> table{{"solution", "check", "killed in", "first by, or why not"}};
  for (const gate::LintRow& row : rows) {
    table.push_back({subject_text(row, many), result_text(row, "fails", "PASSES"),
                     row.calls > 0 ? fmt::format("{} of {}", row.noticed, row.calls) : "-",
                     row.calls > 0 && row.noticed == 0 ? "nothing; nearest: " + where_text(row) : where_text(row)});
  }
  terminal.out(aligned_table(table));
}

void print_inputs(const Terminal& terminal, const std::vector<gate::LintRow>& rows)
{
  std::vector<std::vector<std::string>> table{{"input", "changed alone", "first seen with"}};
  for (const gate::LintRow& row : rows) {
    table.push_back({row.subject, result_text(row, "matters", "IGNORED"),
                     row.noticed > 0 ? where_text(row)
                     : row.calls > 0 ? fmt::format("nothing, in {} calls", row.calls)
                                     : row.reason});
  }
  if (!rows.empty()) {
    terminal.out("\n" + aligned_table(table));
  }
}

void print_honest(const Terminal& terminal, const std::vector<gate::LintRow>& rows)
{
  std::vector<std::vector<std::string>> table{
    {"honest implementation", "check", "largest error, as a part of the bound"}};
  for (const gate::LintRow& row : rows) {
    const std::string excused =
      row.excused > 0 ? fmt::format("; beyond 1 in {}, which rounding explains", row.excused) : "";
    table.push_back({row.subject, result_text(row, "passes", "FAILS"),
                     row.calls > 0
                       ? fmt::format("{:.2g} in {} calls, with {}{}", row.error, row.calls, where_text(row), excused)
                       : row.reason});
  }
  terminal.out("\n" + aligned_table(table));
}

Result<Exit> lint_and_print(Context& context, const std::string& name)
{
  HONE_TRY(const LintResult result, lint(context, name));
  const gate::LintReport& report = result.report;
  const Terminal& terminal = context.terminal;
  print_degenerate(terminal, report.degenerate);
  print_inputs(terminal, report.inputs);
  print_honest(terminal, report.honest);
  terminal.out("");
  if (!report.remark.empty()) {
    terminal.out(report.remark);
  }
  for (const std::string& refusal : report.refusals) {
    terminal.out(fmt::format("{}: {}", terminal.paint(Tone::bad, "refused"), refusal));
  }
  if (report.passed() && !report.sizes.empty()) {
    terminal.out(fmt::format("{}: the check of '{}' tells right from wrong ({} sizes, {})",
                             terminal.paint(Tone::good, "sound"), result.kernel, report.sizes.size(),
                             format_seconds(report.seconds)));
  }
  context.print_json(to_json(result));
  return report.passed() ? Exit::ok : Exit::negative;
}

} // namespace

void add_lint(CommandLine& line)
{
  auto kernel = std::make_shared<std::string>();
  CLI::App* command = line.add("lint", "Prove that a kernel's check fails degenerate solutions and passes honest ones",
                               {"hone lint kernels/softmax", "hone lint mine --json"},
                               [kernel](Context& context) { return lint_and_print(context, *kernel); });
  command->add_option("KERNEL", *kernel, "kernel folder, kernel.toml, or a shipped kernel's name")->required();
}

} // namespace hone::cli
