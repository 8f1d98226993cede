// hone report: a workflow as HTML, Markdown, CSV or JSON.
#include "app/report_files.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

#include <cstdio>

namespace hone::cli {

namespace {

struct ReportOptions {
  KernelRequest kernel;
  std::string format = "html";
  std::string file;
};

std::string render(const report::ReportInput& input, const std::string& format)
{
  if (format == "markdown") {
    return report::markdown_report(input);
  }
  return format == "csv" ? report::csv_report(input) : report::html_report(input);
}

Result<Exit> report(Context& context, const ReportOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  HONE_TRY(const report::ReportInput input, gather_report(bench, workflow));
  if (context.terminal.json()) {
    context.print_json(report::json_report(input));
    return Exit::ok;
  }
  if (options.format != "html" && options.file.empty()) {
    context.terminal.out(render(input, options.format));
    return Exit::ok;
  }
  const fs::path file = options.file.empty() ? workflow.folder() / "report.html" : fs::path(options.file);
  HONE_CHECK(write_file(file, render(input, options.format)));
  context.terminal.out(file.string());
  return Exit::ok;
}

} // namespace

void add_report(CommandLine& line)
{
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = line.add("report", "Write the report of a kernel's workflow",
                               {"hone report kernels/matmul", "hone report kernels/matmul --format csv > climb.csv"},
                               [options](Context& context) { return report(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("--format", options->format, "html, markdown or csv (--json for JSON)")
    ->check(CLI::IsMember({"html", "markdown", "csv"}));
  command->add_option("--out", options->file,
                      "file to write; default: report.html in the workflow's folder, or stdout");
}

} // namespace hone::cli
