#include "report/format.h"
#include "report/story.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone {

namespace {

// Text inside a table cell or a sentence: nothing in it may open Markdown or HTML of its own.
std::string plain(std::string_view text)
{
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

// Text as code; a fence longer than any run of backticks inside.
std::string code_block(std::string_view language, std::string_view text)
{
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) {
    fence += '`';
  }
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string headline(const ReportInput& input, const Story& story)
{
  if (story.best == nullptr) {
    return "No checkpoint yet.\n\n";
  }
  std::string text = fmt::format("**{} faster than the start** {} ({}).\n\n", ratio_text(story.headline.ratio),
                                 plain(ratio_interval_text(story.headline.ci95, story.headline.ratio)),
                                 story.headline.source);
  text += "| | start | best |\n|---|---|---|\n";
  const auto time = [](const TimeEstimate* t) { return t != nullptr ? format_seconds(t->median) : "\u2014"; };
  const auto rate = [&](const TimeEstimate* t) {
    const auto value = t != nullptr ? gflops(input, t->median) : std::nullopt;
    return value ? number_text(*value) : "\u2014";
  };
  const auto share = [&](const TimeEstimate* t) {
    const auto value = t != nullptr ? ceiling_fraction(input, t->median) : std::nullopt;
    return value ? percent_text(*value) : "\u2014";
  };
  text += fmt::format("| time | {} | {} |\n", time(story.start_time), time(story.best_time));
  text += fmt::format("| GFLOP/s | {} | {} |\n", rate(story.start_time), rate(story.best_time));
  text += fmt::format("| of the ceiling | {} | {} |\n", share(story.start_time), share(story.best_time));
  text += fmt::format("| checkpoint | `{}` | `{}` |\n\n", short_id(story.start->id), short_id(story.best->id));
  return text;
}

std::string steps(const Story& story)
{
  std::string text = "## Steps\n\n| # | step | status | verdict | ratio | 95 % interval | time | fate |\n"
                     "|--:|---|---|---|--:|---|--:|---|\n";
  for (const Moment& moment : story.moments) {
    const Record& record = moment.step->record;
    text += fmt::format("| {} | {} | {} | ", moment.step->number, plain(step_name(record)),
                        name_of(record.verdict.status));
    if (moment.comparison != nullptr) {
      text += fmt::format("{} | {} | {} | ", name_of(moment.comparison->verdict), ratio_text(moment.comparison->ratio),
                          plain(ratio_interval_text(moment.comparison->ci95, moment.comparison->ratio)));
    } else {
      text += " | | | ";
    }
    text += fmt::format("{} | {}{} |\n", moment.time != nullptr ? format_seconds(moment.time->median) : "",
                        name_of(moment.fate),
                        record.verdict.reason.empty() ? "" : ": " + plain(record.verdict.reason));
  }
  return text + "\n";
}

std::string baselines(const ReportInput& input)
{
  if (input.baselines.empty()) {
    return "";
  }
  std::string text = "## Baselines\n\nA ratio above 1 means that ours is faster.\n\n"
                     "| library | setting | ratio | 95 % interval |\n|---|---|--:|---|\n";
  for (const BaselineFigure& baseline : input.baselines) {
    text += fmt::format("| {} | {} | {} | {} |\n", plain(baseline.name), plain(baseline.setting),
                        ratio_text(baseline.ratio), plain(ratio_interval_text(baseline.ci95, baseline.ratio)));
  }
  return text + "\n";
}

std::string conditions(const ReportInput& input)
{
  std::string text = "## Environment and recipe\n\n| | |\n|---|---|\n";
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("| {} | {} |\n", plain(name), plain(value));
  };
  row("device", input.device);
  row("backend", input.backend);
  for (const auto& [name, value] : input.environment) {
    row(name, value);
  }
  row("sizes", to_text(input.recipe.sizes));
  row("threads", std::to_string(input.recipe.threads));
  row("regime", name_of(input.recipe.regime));
  row("runner pairs", std::to_string(input.recipe.pairs));
  row("protocol", std::to_string(input.recipe.protocol));
  return text + "\n";
}

std::string diffs(const ReportInput& input, const Story& story)
{
  std::string text;
  for (const Checkpoint* checkpoint : story.path) {
    const auto diff = input.diffs.find(checkpoint->id);
    if (diff != input.diffs.end() && !diff->second.empty()) {
      text += fmt::format("### {}\n\n{}\n", plain(step_name(checkpoint->record)), code_block("diff", diff->second));
    }
  }
  return text.empty() ? text : "## Changes along the path\n\n" + text;
}

} // namespace

std::string markdown_report(const ReportInput& input)
{
  const Story story = tell(input);
  return fmt::format("# {}\n\n{}\n\n{}\n", plain(input.kernel_name), plain(input.kernel_summary),
                     code_block("", input.expression)) +
         headline(input, story) + steps(story) + baselines(input) + conditions(input) + diffs(input, story);
}

} // namespace hone
