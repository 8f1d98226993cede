#include "report/format.h"
#include "report/page_parts.h"
#include "report/page_style.h"

#include <fmt/format.h>

namespace hone::report {

namespace {

std::string head(const ReportInput& input, const ClimbSummary& summary)
{
  return page_head(
    fmt::format("{}: {} faster on {}", input.kernel_name, ratio_text(summary.headline.ratio), input.device));
}

} // namespace

std::string html_report(const ReportInput& input)
{
  const ClimbSummary summary = summarize(input);
  const std::string version = input.steps.empty() ? "" : input.steps.back().record.hone_version;
  return fmt::format(
    "<!doctype html>\n<html lang=\"en\">{}\n<body>{}\n<main>{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}</main>\n"
    "<footer>Written by Hone{}. Every number on this page comes from a record of the gate.</footer>"
    "</body></html>\n",
    head(input, summary), page_masthead(input, summary), page_hero(input, summary), page_climb(input, summary),
    page_steps(input, summary), page_tuning(input), page_roofline(input, summary), page_baselines(input, summary),
    page_changes(input, summary), page_conditions(input), page_words(), page_reproduce(input, summary),
    version.empty() ? "" : " " + escape_html(version));
}

} // namespace hone::report
