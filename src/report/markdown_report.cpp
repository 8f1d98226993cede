#include "report/climb_summary.h"
#include "report/format.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::report {

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

std::string headline(const ReportInput& input, const ClimbSummary& summary)
{
  if (summary.best == nullptr) {
    return "No checkpoint yet.\n\n";
  }
  std::string text =
    fmt::format("**{} faster than the start** {} ({}).\n\n", ratio_text(summary.headline.ratio),
                plain(ratio_interval_text(summary.headline.ci95, summary.headline.ratio)), summary.headline.source);
  text += "| | start | best |\n|---|---|---|\n";
  const auto time = [](const record::TimeEstimate* t) { return t != nullptr ? format_seconds(t->median) : "\u2014"; };
  const auto rate = [&](const record::TimeEstimate* t) {
    const auto value = t != nullptr ? gflops(input, t->median) : std::nullopt;
    return value ? number_text(*value) : "\u2014";
  };
  const auto share = [&](const record::TimeEstimate* t) {
    const auto value = t != nullptr ? ceiling_fraction(input, t->median) : std::nullopt;
    return value ? percent_text(*value) : "\u2014";
  };
  text += fmt::format("| time | {} | {} |\n", time(summary.start_time), time(summary.best_time));
  text += fmt::format("| GFLOP/s | {} | {} |\n", rate(summary.start_time), rate(summary.best_time));
  text += fmt::format("| of the ceiling | {} | {} |\n", share(summary.start_time), share(summary.best_time));
  text += fmt::format("| checkpoint | `{}` | `{}` |\n\n", short_id(summary.start->id), short_id(summary.best->id));
  return text;
}

// What the best gains at each of several timed sizes.
std::string sizes(const ClimbSummary& summary)
{
  const record::ComparisonResult* const measured = summary.headline.measured;
  if (measured == nullptr || measured->by_size.empty()) {
    return "";
  }
  std::string text = "## Best against start by size\n\n| sizes | weight | ratio | 95 % interval | verdict |\n"
                     "|---|--:|--:|---|---|\n";
  for (const record::SizedComparison& one : measured->by_size) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", plain(kernel::to_text(one.sizes)), number_text(one.weight),
                        ratio_text(one.result.ratio), plain(ratio_interval_text(one.result.ci95, one.result.ratio)),
                        record::name_of(one.result.verdict));
  }
  return text + "\n";
}

std::string steps(const ClimbSummary& summary)
{
  std::string text = "## Steps\n\n| # | step | status | verdict | ratio | 95 % interval | time | outcome |\n"
                     "|--:|---|---|---|--:|---|--:|---|\n";
  for (const StepSummary& step : summary.steps) {
    const record::Record& record = step.step->record;
    text += fmt::format("| {} | {} | {} | ", step.step->number, plain(step_name(record)),
                        record::name_of(record.verdict.status));
    if (step.comparison != nullptr) {
      text +=
        fmt::format("{} | {} | {} | ", record::name_of(step.comparison->verdict), ratio_text(step.comparison->ratio),
                    plain(ratio_interval_text(step.comparison->ci95, step.comparison->ratio)));
    } else {
      text += " | | | ";
    }
    text +=
      fmt::format("{} | {}{} |\n", step.time != nullptr ? format_seconds(step.time->median) : "", name_of(step.outcome),
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
  row("sizes", record::sizes_text(input.recipe));
  row("accuracy", input.accuracy);
  row("threads", std::to_string(input.recipe.threads));
  row("regime", record::name_of(input.recipe.regime));
  row("runner pairs", std::to_string(input.recipe.pairs));
  row("protocol", std::to_string(input.recipe.protocol));
  return text + "\n";
}

std::string diffs(const ReportInput& input, const ClimbSummary& summary)
{
  std::string text;
  for (const store::Checkpoint* checkpoint : summary.path) {
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
  const ClimbSummary summary = summarize(input);
  return fmt::format("# {}\n\n{}\n\n{}\n", plain(input.kernel_name), plain(input.kernel_summary),
                     code_block("", input.expression))
         + headline(input, summary) + sizes(summary) + steps(summary) + baselines(input) + conditions(input)
         + diffs(input, summary);
}

} // namespace hone::report
