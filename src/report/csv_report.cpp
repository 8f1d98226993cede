#include "report/climb_summary.h"
#include "report/csv.h"
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::report {

namespace {

constexpr std::array k_columns = {"number",    "step",      "engine",     "fate",    "status",        "comparison",
                                  "ratio",     "ratio_low", "ratio_high", "cold_s",  "cold_low_s",    "cold_high_s",
                                  "hot_s",     "hot_low_s", "hot_high_s", "gflops",  "checks_passed", "checks_failed",
                                  "reason",    "tuning",    "threads",    "spent_s", "checkpoint",    "parent",
                                  "candidate", "incumbent", "time_utc"};

std::string number_cell(std::optional<double> value)
{
  return value ? fmt::format("{}", *value) : "";
}

void add_time(std::vector<std::string>& cells, const std::optional<record::TimeEstimate>& time)
{
  cells.push_back(number_cell(time ? std::optional(time->median) : std::nullopt));
  cells.push_back(number_cell(time ? std::optional(time->ci95.low) : std::nullopt));
  cells.push_back(number_cell(time ? std::optional(time->ci95.high) : std::nullopt));
}

std::string step_line(const ReportInput& input, const StepSummary& step)
{
  const record::Record& record = step.step->record;
  const record::Verdict& verdict = record.verdict;
  const auto passed =
    std::count_if(verdict.checks.begin(), verdict.checks.end(), [](const record::CheckResult& c) { return c.passed; });
  double spent = 0;
  for (const auto& [phase, seconds] : verdict.spent) {
    spent += seconds;
  }
  std::vector<std::string> cells{std::to_string(step.step->number), csv_cell(step_name(record)),
                                 csv_cell(record.engine), std::string(name_of(step.outcome)),
                                 std::string(record::name_of(verdict.status))};
  const record::ComparisonResult* comparison = step.comparison;
  cells.push_back(comparison != nullptr ? std::string(record::name_of(comparison->verdict)) : "");
  cells.push_back(number_cell(comparison != nullptr ? std::optional(comparison->ratio) : std::nullopt));
  cells.push_back(number_cell(comparison != nullptr ? std::optional(comparison->ci95.low) : std::nullopt));
  cells.push_back(number_cell(comparison != nullptr ? std::optional(comparison->ci95.high) : std::nullopt));
  add_time(cells, verdict.cold);
  add_time(cells, verdict.hot);
  cells.push_back(number_cell(step.time != nullptr ? gflops(input, step.time->median) : std::nullopt));
  cells.push_back(std::to_string(passed));
  cells.push_back(std::to_string(static_cast<std::ptrdiff_t>(verdict.checks.size()) - passed));
  cells.push_back(csv_cell(verdict.reason));
  cells.push_back(csv_cell(kernel::to_text(record.point)));
  cells.push_back(std::to_string(record.recipe_used.threads));
  cells.push_back(number_cell(spent));
  for (const std::string& text :
       {step.step->checkpoint, record.parent, record.candidate, record.incumbent, record.time_utc}) {
    cells.push_back(csv_cell(text));
  }
  return csv_line(cells);
}

} // namespace

std::string csv_report(const ReportInput& input)
{
  std::string csv = csv_line({k_columns.begin(), k_columns.end()});
  for (const StepSummary& step : summarize(input).steps) {
    csv += step_line(input, step);
  }
  return csv;
}

} // namespace hone::report
