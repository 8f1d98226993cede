#include "app/study_output.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "report/csv.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

constexpr int k_attempts[] = {1, 3, 5, 10}; // of which pass@k is told, as far as there are so many

std::string share_text(int count, int n, const Interval& ci95)
{
  return fmt::format("{} of {} [{:.0f}, {:.0f} %]", count, n, 100 * ci95.low, 100 * ci95.high);
}

std::string faults_text(const std::map<std::string, int>& faults)
{
  std::string text;
  for (const auto& [fault, count] : faults) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, fault);
  }
  return text;
}

std::vector<std::vector<std::string>> table_of(const std::vector<policy::StepSuccess>& all)
{
  std::vector<std::vector<std::string>> rows{
    {"step", "right at once", "right in the end", "pass@3", "faster", "slower", "median", "first answers that failed"}};
  for (const policy::StepSuccess& success : all) {
    rows.push_back({success.step.empty() ? "all" : success.step,
                    share_text(success.first_try, success.n, success.first_try_ci95),
                    share_text(success.right, success.n, success.right_ci95),
                    success.n < 3 ? "-" : fmt::format("{:.2f}", policy::pass_at(success.n, success.right, 3)),
                    std::to_string(success.faster), std::to_string(success.slower),
                    success.median_ratio > 0 ? ratio_text(success.median_ratio) : "-", faults_text(success.faults)});
  }
  return rows;
}

std::vector<std::vector<std::string>> table_of(const std::vector<policy::StudiedGroup>& groups)
{
  std::vector<std::vector<std::string>> rows{{"group", "runs", "came to nothing", "median", "least", "largest"}};
  for (const policy::StudiedGroup& group : groups) {
    rows.push_back({group.group, std::to_string(group.n), std::to_string(group.failed), ratio_text(group.median),
                    ratio_text(group.least), ratio_text(group.largest)});
  }
  return rows;
}

report::StudyPage empty_page(const Context& context, const Workbench& bench, std::string title)
{
  report::StudyPage page;
  page.title = std::move(title);
  page.conditions = {{"kernel", bench.kernel->name},
                     {"backend", std::string(bench.backend->name())},
                     {"model", context.settings.text("model")},
                     {"sizes", kernel::to_text(bench.recipe.sizes)},
                     {"threads", std::to_string(bench.recipe.threads)}};
  return page;
}

} // namespace

report::StudyPage page_of(const Context& context, const Workbench& bench, const std::vector<policy::StepSuccess>& all)
{
  report::StudyPage page =
    empty_page(context, bench, fmt::format("How often steps come right: {}", bench.kernel->name));
  page.summary = fmt::format("Attempts that were right, with at most {} repairs each; 95 % intervals (Wilson)",
                             context.settings.text("repairs"));
  page.axis = "attempts that were right in the end";
  page.shares = true;
  for (const policy::StepSuccess& success : all) {
    page.marks.push_back({success.step.empty() ? "all" : success.step,
                          fmt::format("{} of {}", success.right, success.n),
                          success.n > 0 ? static_cast<double>(success.right) / success.n : 0,
                          success.right_ci95,
                          {}});
  }
  page.table = table_of(all);
  return page;
}

report::StudyPage page_of(const Context& context, const Workbench& bench, const std::string& runs_are,
                          const std::vector<policy::StudiedRun>& runs)
{
  report::StudyPage page =
    empty_page(context, bench, fmt::format("How far {} lie apart: {}", runs_are, bench.kernel->name));
  page.summary = "Each small mark is a run, the large one their median, the line goes from the least to the largest";
  page.axis = "speed-up over the start";
  const std::vector<policy::StudiedGroup> groups = policy::groups_of(runs);
  for (const policy::StudiedGroup& group : groups) {
    report::StudyMark mark{group.group, ratio_text(group.median), group.median, {group.least, group.largest}, {}};
    for (const policy::StudiedRun& run : runs) {
      if (run.group == group.group) {
        mark.single.push_back(run.ratio);
      }
    }
    page.marks.push_back(std::move(mark));
  }
  page.table = table_of(groups);
  return page;
}

Json to_json(const policy::StepSuccess& success)
{
  Json pass = Json::object();
  for (const int k : k_attempts) {
    if (k <= success.n) {
      pass[std::to_string(k)] = policy::pass_at(success.n, success.right, k);
    }
  }
  return {{"step", success.step},
          {"n", success.n},
          {"first_try", success.first_try},
          {"first_try_ci95", interval_json(success.first_try_ci95)},
          {"right", success.right},
          {"right_ci95", interval_json(success.right_ci95)},
          {"pass_at", std::move(pass)},
          {"faster", success.faster},
          {"slower", success.slower},
          {"median_ratio", success.median_ratio > 0 ? Json(success.median_ratio) : Json(nullptr)},
          {"faults", success.faults},
          {"tokens_each", success.tokens_each},
          {"seconds_each", success.seconds_each}};
}

Json to_json(const policy::StudiedRun& run)
{
  return {{"group", run.group},
          {"number", run.number},
          {"ratio", run.ratio > 0 ? Json(run.ratio) : Json(nullptr)},
          {"ci95", interval_json(run.ci95)},
          {"seconds", run.seconds},
          {"note", run.note}};
}

std::string csv_of_attempts()
{
  return report::csv_line({"kernel", "backend", "model", "step", "sample", "answers", "right", "first_fault", "fault",
                           "comparison", "ratio", "tokens", "seconds", "report"});
}

std::string csv_line_of(const Context& context, const Workbench& bench, const policy::StepSample& sample)
{
  return report::csv_line(
    {bench.kernel->name, std::string(bench.backend->name()), report::csv_cell(context.settings.text("model")),
     sample.step, std::to_string(sample.sample), std::to_string(sample.answers), sample.right ? "true" : "false",
     report::csv_cell(sample.first_fault), report::csv_cell(sample.fault),
     sample.right ? std::string(record::name_of(sample.comparison)) : "", fmt::format("{:.4f}", sample.ratio),
     std::to_string(sample.tokens), fmt::format("{:.1f}", sample.seconds), report::csv_cell(sample.report)});
}

std::string csv_of_runs()
{
  return report::csv_line({"kernel", "backend", "group", "run", "ratio", "low", "high", "seconds", "note"});
}

std::string csv_line_of(const Workbench& bench, const policy::StudiedRun& run)
{
  return report::csv_line({bench.kernel->name, std::string(bench.backend->name()), report::csv_cell(run.group),
                           std::to_string(run.number), fmt::format("{:.4f}", run.ratio),
                           fmt::format("{:.4f}", run.ci95.low), fmt::format("{:.4f}", run.ci95.high),
                           fmt::format("{:.1f}", run.seconds), report::csv_cell(run.note)});
}

} // namespace hone::app
