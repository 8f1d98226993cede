// hone open: the report in the browser.
#include "app/report_files.h"
#include "cli/browser.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

// Writes the report unless it says already what the workflow holds; true when it was written.
Result<bool> bring_up_to_date(const Workbench& bench, const store::Workflow& workflow, const fs::path& report)
{
  HONE_TRY(const report::ReportInput input, gather_report(bench, workflow));
  const std::string page = report::html_report(input);
  if (const auto old = read_file(report); old && *old == page) {
    return false;
  }
  HONE_CHECK(write_file(report, page));
  return true;
}

Result<Exit> open_report(Context& context, const KernelRequest& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  const fs::path report = workflow.folder() / "report.html";
  HONE_TRY(const bool written, bring_up_to_date(bench, workflow, report));
  const Shown shown = show_in_browser(report);
  context.terminal.out(shown.opened ? fmt::format("{} (opened with {})", report.string(), shown.with)
                                    : fmt::format("{}\nnot opened: {}", report.string(), shown.why));
  context.print_json({{"report", report.string()},
                      {"written", written},
                      {"opened", shown.opened},
                      {"with", shown.with},
                      {"reason", shown.why}});
  return Exit::ok;
}

} // namespace

void add_open(CommandLine& line)
{
  auto options = std::make_shared<KernelRequest>();
  CLI::App* command = line.add("open", "Open the report of a kernel's workflow in the browser",
                               {"hone open kernels/matmul", "BROWSER=firefox hone open kernels/matmul"},
                               [options](Context& context) { return open_report(context, *options); });
  add_kernel_options(line, command, *options);
}

} // namespace hone::cli
