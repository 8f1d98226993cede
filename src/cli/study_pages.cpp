#include "cli/study_pages.h"

#include "cli/format.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

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

std::vector<std::vector<std::string>> table_of(const std::vector<StepSuccess>& all)
{
  std::vector<std::vector<std::string>> rows{
    {"step", "right at once", "right in the end", "pass@3", "faster", "slower", "median", "first answers that failed"}};
  for (const StepSuccess& success : all) {
    rows.push_back({success.step.empty() ? "all" : success.step,
                    share_text(success.first_try, success.n, success.first_try_ci95),
                    share_text(success.right, success.n, success.right_ci95),
                    success.n < 3 ? "-" : fmt::format("{:.2f}", pass_at(success.n, success.right, 3)),
                    std::to_string(success.faster), std::to_string(success.slower),
                    success.median_ratio > 0 ? ratio_text(success.median_ratio) : "-", faults_text(success.faults)});
  }
  return rows;
}

std::vector<std::vector<std::string>> table_of(const std::vector<StudiedGroup>& groups)
{
  std::vector<std::vector<std::string>> rows{{"group", "runs", "came to nothing", "median", "least", "largest"}};
  for (const StudiedGroup& group : groups) {
    rows.push_back({group.group, std::to_string(group.n), std::to_string(group.failed), ratio_text(group.median),
                    ratio_text(group.least), ratio_text(group.largest)});
  }
  return rows;
}

StudyPage empty_page(const Context& context, const Workbench& bench, std::string title)
{
  StudyPage page;
  page.title = std::move(title);
  page.conditions = {{"kernel", bench.kernel->name},
                     {"backend", std::string(bench.backend->name())},
                     {"model", context.settings.text("model")},
                     {"sizes", to_text(bench.recipe.sizes)},
                     {"threads", std::to_string(bench.recipe.threads)}};
  return page;
}

} // namespace

StudyPage page_of(const Context& context, const Workbench& bench, const std::vector<StepSuccess>& all)
{
  StudyPage page = empty_page(context, bench, fmt::format("How often steps come right: {}", bench.kernel->name));
  page.summary = fmt::format("Attempts that were right, with at most {} repairs each; 95 % intervals (Wilson)",
                             context.settings.text("repairs"));
  page.axis = "attempts that were right in the end";
  page.shares = true;
  for (const StepSuccess& success : all) {
    page.marks.push_back({success.step.empty() ? "all" : success.step,
                          fmt::format("{} of {}", success.right, success.n),
                          success.n > 0 ? static_cast<double>(success.right) / success.n : 0,
                          success.right_ci95,
                          {}});
  }
  page.table = table_of(all);
  return page;
}

StudyPage page_of(const Context& context, const Workbench& bench, const std::string& runs_are,
                  const std::vector<StudiedRun>& runs)
{
  StudyPage page = empty_page(context, bench, fmt::format("How far {} lie apart: {}", runs_are, bench.kernel->name));
  page.summary = "Each small mark is a run, the large one their median, the line goes from the least to the largest";
  page.axis = "speed-up over the start";
  const std::vector<StudiedGroup> groups = groups_of(runs);
  for (const StudiedGroup& group : groups) {
    StudyMark mark{group.group, ratio_text(group.median), group.median, {group.least, group.largest}, {}};
    for (const StudiedRun& run : runs) {
      if (run.group == group.group) {
        mark.single.push_back(run.ratio);
      }
    }
    page.marks.push_back(std::move(mark));
  }
  page.table = table_of(groups);
  return page;
}

} // namespace hone::cli
