#include "report/format.h"
#include "report/page_parts.h"
#include "report/page_style.h"

#include <fmt/format.h>

namespace hone {

namespace {

std::string head(const ReportInput& input, const Story& story)
{
  return page_head(
    fmt::format("{}: {} faster on {}", input.kernel_name, ratio_text(story.headline.ratio), input.device));
}

} // namespace

std::string html_report(const ReportInput& input)
{
  const Story story = tell(input);
  const std::string version = input.steps.empty() ? "" : input.steps.back().record.hone_version;
  return fmt::format("<!doctype html>\n<html lang=\"en\">{}\n<body>{}\n<main>{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}</main>\n"
                     "<footer>Written by Hone{}. Every number on this page comes from a record of the gate.</footer>"
                     "</body></html>\n",
                     head(input, story), page_masthead(input, story), page_hero(input, story), page_climb(input, story),
                     page_baselines(input, story), page_steps(input, story), page_changes(input, story),
                     page_conditions(input), page_words(), page_reproduce(input, story),
                     version.empty() ? "" : " " + escape_html(version));
}

} // namespace hone
