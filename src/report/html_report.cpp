#include "report/format.h"
#include "report/page_parts.h"
#include "report/page_style.h"
#include "report/parts.h"

#include <fmt/format.h>

namespace hone::report {

namespace {

std::string head(const ReportInput& input, const ClimbSummary& summary)
{
  return page_head(
    fmt::format("{}: {} faster on {}", input.kernel_name, ratio_text(summary.headline.ratio), input.device));
}

} // namespace

std::string report_content(const ReportInput& input)
{
  const ClimbSummary summary = summarize(input);
  return fmt::format("{}\n<main>{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}</main>\n", page_masthead(input, summary),
                     page_hero(input, summary), page_climb(input, summary), page_steps(input, summary),
                     page_tuning(input), page_roofline(input, summary), page_baselines(input, summary),
                     page_changes(input, summary), page_conditions(input), page_words(),
                     page_reproduce(input, summary));
}

std::string html_report(const ReportInput& input)
{
  const std::string version = input.steps.empty() ? "" : input.steps.back().record.hone_version;
  return fmt::format("<!doctype html>\n<html lang=\"en\">{}\n<body>{}"
                     "<footer>Written by Hone{}. Every number on this page comes from a record of the gate.</footer>"
                     "</body></html>\n",
                     head(input, summarize(input)), report_content(input),
                     version.empty() ? "" : " " + escape_html(version));
}

RunFigures run_figures(const ReportInput& input)
{
  const ClimbSummary summary = summarize(input);
  RunFigures figures;
  figures.gain = ratio_text(summary.headline.ratio);
  figures.measured = summary.headline.measured != nullptr;
  for (const StepSummary& step : summary.steps) {
    ++figures.tried;
    figures.failed += step.outcome == StepOutcome::failed ? 1 : 0;
  }
  return figures;
}

} // namespace hone::report
