#include "report/format.h"
#include "report/page_parts.h"
#include "report/parameter_importance.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::report {

namespace {

double total_spent(const record::Verdict& verdict)
{
  double seconds = 0;
  for (const auto& [phase, spent] : verdict.spent) {
    seconds += spent;
  }
  return seconds;
}

std::string time_cell(const std::optional<record::TimeEstimate>& time)
{
  return time ? format_seconds(time->median) : "";
}

std::string ratio_cell(const StepSummary& step)
{
  if (step.comparison == nullptr) {
    return "";
  }
  return fmt::format("{}<small>{}</small>", ratio_text(step.comparison->ratio),
                     ratio_interval_text(step.comparison->ci95, step.comparison->ratio));
}

std::string summary_row(const StepSummary& step, std::size_t position)
{
  const record::Record& record = step.step->record;
  const record::Verdict& verdict = record.verdict;
  const std::string sub = record.point.empty() ? record.engine : record.engine + " " + kernel::to_text(record.point);
  const std::string narrow_time =
    step.time != nullptr ? fmt::format(R"( <small class="only-narrow">{}</small>)", format_seconds(step.time->median))
                         : "";
  return fmt::format(
    R"(<summary class="step-row"><span class="c-number">{}</span><span class="c-name">{}<small>{}</small></span><span>{}</span><span>{}</span><span class="c-ratio">{}{}</span><span class="c-time c-right">{}</span><span class="c-time c-right">{}</span><span class="c-spent c-right muted">{}</span><span class="c-open"></span></summary>)",
    position + 1, escape_html(step_name(record)), escape_html(sub), pill(record::name_of(verdict.status)),
    step.comparison != nullptr ? pill(record::name_of(step.comparison->verdict)) : "", ratio_cell(step), narrow_time,
    time_cell(verdict.cold), time_cell(verdict.hot), format_seconds(total_spent(verdict)));
}

std::string block(std::string_view title, std::string_view content)
{
  return content.empty() ? "" : fmt::format("<div><h3>{}</h3>{}</div>", title, content);
}

std::string reason(const StepSummary& step)
{
  std::string text = step.step->record.verdict.reason;
  if (text.empty() && step.comparison != nullptr) {
    text = step.comparison->reason;
  }
  if (text.empty()) {
    return "";
  }
  return fmt::format(R"(<p class="reason{}">{}</p>)", step.outcome == StepOutcome::failed ? "" : " calm",
                     escape_html(text));
}

std::string estimate(const record::TimeEstimate& time)
{
  return fmt::format("{} <span class=\"muted\">{}</span>", format_seconds(time.median), time_interval_text(time.ci95));
}

std::string comparisons(const record::Verdict& verdict)
{
  if (verdict.comparisons.empty()) {
    return "";
  }
  std::string rows;
  for (const record::ComparisonResult& comparison : verdict.comparisons) {
    std::string pairs;
    for (const double ratio : comparison.pair_ratios) {
      pairs += (pairs.empty() ? "" : ", ") + fmt::format("{:.4f}", ratio);
    }
    rows += fmt::format(
      R"(<tr><td>{}</td><td>{}</td><td class="num">{} {}</td><td class="num">{}</td><td class="num">{}</td><td>{}</td><td>{}</td></tr>)",
      record::name_of(comparison.regime), pill(record::name_of(comparison.verdict)), ratio_text(comparison.ratio),
      ratio_interval_text(comparison.ci95, comparison.ratio), estimate(comparison.candidate),
      estimate(comparison.incumbent), pairs, escape_html(comparison.rule));
  }
  return fmt::format(
    R"(<div class="scroll"><table><tr><th>caches</th><th>verdict</th><th class="num">ratio</th><th class="num">this candidate</th><th class="num">compared with</th><th>ratio of each pair</th><th>rule</th></tr>{}</table></div>)",
    rows);
}

std::string times(const record::Verdict& verdict)
{
  std::string rows;
  const auto add = [&](std::string_view name, const std::optional<record::TimeEstimate>& time) {
    if (time) {
      rows += fmt::format("<tr><th>{}</th><td>{}, {} calls</td></tr>", name, estimate(*time), time->calls);
    }
  };
  add("cold", verdict.cold);
  add("hot", verdict.hot);
  add("weights laid out ahead, not in these times", verdict.preparation());
  return rows.empty() ? "" : fmt::format(R"(<table class="facts">{}</table>)", rows);
}

std::string checks(const record::Verdict& verdict)
{
  std::vector<const record::CheckResult*> ordered;
  for (const record::CheckResult& check : verdict.checks) {
    ordered.push_back(&check);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const record::CheckResult* a, const record::CheckResult* b) { return !a->passed && b->passed; });
  std::string items;
  for (const record::CheckResult* check : ordered) {
    items += fmt::format("<li{}>{}", check->passed ? "" : R"( class="bad")", escape_html(check->name));
    items += check->detail.empty() ? "</li>" : fmt::format("<small>{}</small></li>", escape_html(check->detail));
  }
  return items.empty() ? "" : fmt::format(R"(<ul class="checks">{}</ul>)", items);
}

std::string checks_title(const record::Verdict& verdict)
{
  const auto passed =
    std::count_if(verdict.checks.begin(), verdict.checks.end(), [](const record::CheckResult& c) { return c.passed; });
  return fmt::format("Checks: {} of {} passed", passed, verdict.checks.size());
}

std::string row(std::string_view name, std::string_view value, bool code = false)
{
  if (value.empty()) {
    return "";
  }
  const std::string text = escape_html(value);
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>", name, code ? fmt::format("<code>{}</code>", text) : text);
}

std::string particulars(const StepSummary& step)
{
  const record::Record& record = step.step->record;
  const record::Verdict& verdict = record.verdict;
  std::string spent;
  for (const auto& [phase, seconds] : verdict.spent) {
    spent += fmt::format("{}{} {}", spent.empty() ? "" : ", ", phase, format_seconds(seconds));
  }
  std::string rows = row("outcome", name_of(step.outcome)) + row("checkpoint", step.step->checkpoint, true)
                     + row("parent", record.parent, true) + row("candidate", record.candidate, true)
                     + row("compared with", record.incumbent, true)
                     + row("tuning point", kernel::to_text(record.point), true);
  if (verdict.errors.worst_normalised > 0 || !verdict.errors.worst_where.empty()) {
    rows += row("largest error", fmt::format("{} of the allowed bound; {}",
                                             number_text(verdict.errors.worst_normalised), verdict.errors.worst_where));
  }
  if (record.predicted_s > 0) {
    rows += row("predicted", format_seconds(record.predicted_s));
  }
  rows += row("spent", spent) + row("when", record.time_utc) + row("record", record.id, true);
  return fmt::format(R"(<table class="facts">{}</table>)", rows);
}

std::string evidence(const StepSummary& step)
{
  const record::Verdict& verdict = step.step->record.verdict;
  return fmt::format(
    R"(<div class="evidence">{}{}{}{}{}{}</div>)", reason(step), block("Comparisons", comparisons(verdict)),
    block("Times", times(verdict)), block(checks_title(verdict), checks(verdict)),
    block("Particulars", particulars(step)),
    block("Log", verdict.log.empty() ? "" : fmt::format(R"(<pre class="log">{}</pre>)", escape_html(verdict.log))));
}

const char* css_of(StepOutcome outcome)
{
  switch (outcome) {
  case StepOutcome::path:
    return "step is-path";
  case StepOutcome::failed:
    return "step is-failed";
  case StepOutcome::branch:
  case StepOutcome::remeasured:
  case StepOutcome::passed_over:
    return "step is-rest";
  }
  return "step";
}

std::string tab(std::string_view id, std::string_view label, std::ptrdiff_t count, bool checked)
{
  return fmt::format(R"(<input type="radio" name="show" id="{0}"{1}><label for="{0}">{2} {3}</label>)", id,
                     checked ? " checked" : "", label, count);
}

std::string tabs(const ClimbSummary& summary)
{
  const auto count = [&](auto... fates) {
    return std::count_if(summary.steps.begin(), summary.steps.end(),
                         [&](const StepSummary& step) { return ((step.outcome == fates) || ...); });
  };
  return tab("show-all", "All", static_cast<std::ptrdiff_t>(summary.steps.size()), true)
         + tab("show-path", "On the path", count(StepOutcome::path), false)
         + tab("show-rest", "Other", count(StepOutcome::branch, StepOutcome::remeasured, StepOutcome::passed_over),
               false)
         + tab("show-failed", "Failed", count(StepOutcome::failed), false);
}

} // namespace

std::string page_steps(const ReportInput&, const ClimbSummary& summary)
{
  std::string rows;
  std::string trials;
  std::size_t folded = 0;
  const auto unfold = [&] {
    if (folded > 0) {
      rows += fmt::format(
        R"(<details class="step is-rest"><summary class="step-row"><span></span><span class="c-name">{} tuning points</span></summary>{}</details>)",
        std::exchange(folded, 0), std::exchange(trials, {}));
    }
  };
  for (std::size_t i = 0; i < summary.steps.size(); ++i) {
    const StepSummary& step = summary.steps[i];
    const bool folds = is_tuning_trial(step.step->record) && step.outcome != StepOutcome::path;
    if (!folds) {
      unfold();
    }
    (folds ? trials : rows) +=
      fmt::format(R"(<details class="{}">{}{}</details>)", css_of(step.outcome), summary_row(step, i), evidence(step));
    folded += folds ? 1 : 0;
  }
  unfold();
  return fmt::format(
    R"(<section id="steps"><h2>Every step, with its evidence</h2><p class="lead">Open a step to see what was compared, what was checked and why it was taken or not.</p><div class="tabs">{}<div class="steps"><div class="step-row steps-head"><span>#</span><span>step</span><span>status</span><span>verdict</span><span>ratio, 95 % interval</span><span class="c-right">cold</span><span class="c-right">hot</span><span class="c-right">spent</span><span></span></div>{}</div></div></section>)",
    tabs(summary), rows);
}

} // namespace hone::report
