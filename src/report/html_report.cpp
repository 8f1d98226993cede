#include "report/format.h"
#include "report/page_parts.h"
#include "report/page_style.h"

#include <fmt/format.h>

namespace hone {

namespace {

// The page needs nothing but its own style: whatever a candidate smuggled into a log or a name, no script runs and
// nothing is fetched.
constexpr std::string_view k_policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

std::string head(const ReportInput& input, const Story& story)
{
  const std::string title =
      fmt::format("{}: {} faster on {}", input.kernel_name, ratio_text(story.headline.ratio), input.device);
  return fmt::format(
      R"(<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="Content-Security-Policy" content="{}"><title>{}</title><style>{}</style></head>)",
      k_policy, escape_html(title), page_style());
}

} // namespace

std::string html_report(const ReportInput& input)
{
  const Story story = tell(input);
  const std::string version = input.steps.empty() ? "" : input.steps.back().record.hone_version;
  return fmt::format("<!doctype html>\n<html lang=\"en\">{}\n<body>{}\n<main>{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}</main>\n"
                     "<footer>Written by Hone{}. Every number on this page comes from a record of the gate.</footer>"
                     "</body></html>\n",
                     head(input, story), page_masthead(input, story), page_hero(input, story),
                     page_climb(input, story), page_baselines(input, story), page_steps(input, story),
                     page_changes(input, story), page_conditions(input), page_words(), page_reproduce(input, story),
                     version.empty() ? "" : " " + escape_html(version));
}

} // namespace hone
