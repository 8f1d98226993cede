#include "app/sweep.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "kernel/size_conditions.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hone::app {

namespace {

constexpr std::size_t k_most_points = 200;
constexpr std::int64_t k_largest_size = std::int64_t{1} << 31;

std::unexpected<Error> bad_sweep(const std::string& message)
{
  return fail(message, "write --sizes n=2^10..2^20, n=100..1000:100 or m=n=64..512,k=256", Place{"--sizes", 0, 0});
}

std::optional<std::int64_t> whole_number(std::string_view text)
{
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(value)
                                                                                          : std::nullopt;
}

// 1024 or 2^10.
Result<std::int64_t> extent_from(std::string_view text)
{
  const std::size_t power = text.find('^');
  const auto base = whole_number(text.substr(0, power));
  const auto exponent =
    power == std::string_view::npos ? std::optional<std::int64_t>(1) : whole_number(text.substr(power + 1));
  const double value = base && exponent ? std::pow(static_cast<double>(*base), static_cast<double>(*exponent)) : 0;
  if (!(value >= 1 && value <= static_cast<double>(k_largest_size))) {
    return bad_sweep(fmt::format("'{}' is not a size from 1 to 2^31", text));
  }
  return static_cast<std::int64_t>(value);
}

// FIRST, FIRST..LAST or FIRST..LAST:STEP.
Result<std::vector<std::int64_t>> extents_from(std::string_view text)
{
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    HONE_TRY(const std::int64_t only, extent_from(text));
    return std::vector{only};
  }
  const std::size_t colon = text.find(':');
  HONE_TRY(const std::int64_t first, extent_from(text.substr(0, dots)));
  HONE_TRY(const std::int64_t last, extent_from(text.substr(dots + 2, colon - dots - 2)));
  std::int64_t step = 0;
  if (colon != std::string_view::npos) {
    HONE_TRY(step, extent_from(text.substr(colon + 1)));
  }
  if (first > last) {
    return bad_sweep(fmt::format("'{}' begins above its end", text));
  }
  std::vector<std::int64_t> out;
  for (std::int64_t at = first; at <= last; at = step > 0 ? at + step : 2 * at) {
    if (out.size() == k_most_points) {
      return bad_sweep(fmt::format("'{}' has more than {} sizes", text, k_most_points));
    }
    out.push_back(at);
  }
  return out;
}

Result<void> check_name(const kernel::Kernel& kernel, const std::string& name)
{
  if (std::ranges::find(kernel.symbols, name) != kernel.symbols.end()) {
    return {};
  }
  return fail(
    fmt::format("kernel '{}' has no size '{}'; its sizes are {}", kernel.name, name, join(kernel.symbols, ", ")),
    did_you_mean(name, kernel.symbols), Place{"--sizes", 0, 0});
}

std::string sizes_and_ratio(const kernel::Sizes& sizes, double ratio)
{
  return fmt::format("{}: {}", kernel::to_text(sizes), ratio_text(ratio));
}

std::vector<std::string> cells_of(const kernel::Sizes& sizes, const record::ComparisonResult& comparison)
{
  return {kernel::to_text(sizes), ratio_text(comparison.ratio, comparison.ci95),
          std::string(record::name_of(comparison.verdict)), format_seconds(comparison.candidate.median),
          format_seconds(comparison.incumbent.median)};
}

} // namespace

Result<std::vector<kernel::Sizes>> parse_sweep(const kernel::Kernel& kernel, const kernel::Sizes& others,
                                               const std::string& text)
{
  std::vector<kernel::Sizes> all{others};
  for (const std::string& item : split(text, ',')) {
    std::vector<std::string> parts = split(item, '=');
    if (parts.size() < 2) {
      return bad_sweep(fmt::format("'{}' is no range of sizes", item));
    }
    HONE_TRY(const std::vector<std::int64_t> extents, extents_from(trim(parts.back())));
    parts.pop_back();
    std::vector<kernel::Sizes> combined;
    for (const kernel::Sizes& before : all) {
      for (const std::int64_t extent : extents) {
        kernel::Sizes& sizes = combined.emplace_back(before);
        for (const std::string& part : parts) {
          const std::string name(trim(part));
          HONE_CHECK(check_name(kernel, name));
          sizes[name] = extent;
        }
      }
    }
    all = std::move(combined);
    if (all.size() > k_most_points) {
      return bad_sweep(fmt::format("'{}' makes {} sizes; at most {} are compared", text, all.size(), k_most_points));
    }
  }
  std::erase_if(all, [&](const kernel::Sizes& sizes) { return !kernel::check_sizes(kernel, sizes); });
  if (all.empty()) {
    return bad_sweep(fmt::format("at none of the sizes '{}' does the kernel mean anything", text));
  }
  return all;
}

Result<Sweep> sweep_sizes(Context& context, const Workbench& bench, execute::Executor& executor,
                          const SweepRequest& request)
{
  Sweep sweep;
  sweep.ours = request.ours_name;
  sweep.theirs = request.theirs_name;
  for (const kernel::Sizes& sizes : request.sizes) {
    context.observer->status(fmt::format("{} against {} at {} ...", sweep.ours, sweep.theirs, kernel::to_text(sizes)));
    record::Job job;
    job.kind = record::Job::Kind::judge;
    job.contender = request.ours;
    job.incumbent = request.theirs;
    job.recipe = bench.recipe.at(sizes);
    job.depth = record::Depth::glance;
    auto record = executor.run(job);
    if (context.stop.stop_requested()) {
      sweep.stopped = true;
      break;
    }
    SweepRow row{sizes, {}, {}};
    if (!record) { // of theirs, or of the machine: other sizes may do
      row.problem = record.error().message;
    } else if (record->verdict.comparisons.empty()) {
      row.problem = verdict_text(record->verdict);
      sweep.correct = sweep.correct && record->verdict.status == record::Status::correct;
    } else {
      row.comparison = record->verdict.comparisons.front();
    }
    sweep.rows.push_back(std::move(row));
  }
  context.observer->clear_status();
  return sweep;
}

const SweepRow* worst_row(const Sweep& sweep)
{
  const SweepRow* worst = nullptr;
  for (const SweepRow& row : sweep.rows) {
    if (row.comparison && (worst == nullptr || row.comparison->ratio < worst->comparison->ratio)) {
      worst = &row;
    }
  }
  return worst;
}

double mean_ratio(const Sweep& sweep)
{
  double logs = 0;
  double count = 0;
  for (const SweepRow& row : sweep.rows) {
    logs += row.comparison ? std::log(row.comparison->ratio) : 0;
    count += row.comparison ? 1 : 0;
  }
  return count > 0 ? std::exp(logs / count) : 1;
}

std::vector<std::vector<std::string>> sweep_table(const Sweep& sweep)
{
  std::vector<std::vector<std::string>> rows{
    {"sizes", "speed of " + sweep.ours + " over " + sweep.theirs, "", sweep.ours, sweep.theirs}};
  for (const SweepRow& row : sweep.rows) {
    rows.push_back(row.comparison ? cells_of(row.sizes, *row.comparison)
                                  : std::vector<std::string>{kernel::to_text(row.sizes), "-", row.problem, "-", "-"});
  }
  return rows;
}

std::string sweep_summary(const Sweep& sweep)
{
  const SweepRow* const worst = worst_row(sweep);
  return worst == nullptr ? "nothing was compared"
                          : fmt::format("geometric mean {}; least at {}", ratio_text(mean_ratio(sweep)),
                                        sizes_and_ratio(worst->sizes, worst->comparison->ratio));
}

std::vector<std::vector<std::string>> by_size_table(const record::ComparisonResult& comparison)
{
  std::vector<std::vector<std::string>> rows;
  for (const record::SizedComparison& one : comparison.by_size) {
    if (rows.empty()) {
      rows.push_back({"sizes", "ratio", "", "ours", "theirs", "weight"});
    }
    rows.push_back(cells_of(one.sizes, one.result));
    rows.back().push_back(fmt::format("{:g}", one.weight));
  }
  return rows;
}

std::string worst_size_text(const record::ComparisonResult& comparison)
{
  const record::SizedComparison* const worst = record::worst_size(comparison);
  return worst == nullptr ? "" : "least at " + sizes_and_ratio(worst->sizes, worst->result.ratio);
}

Json to_json(const Sweep& sweep)
{
  Json rows = Json::array();
  for (const SweepRow& row : sweep.rows) {
    Json json{{"sizes", row.sizes}, {"problem", row.problem}};
    json["comparison"] = row.comparison ? record::to_json(*row.comparison) : Json(nullptr);
    rows.push_back(std::move(json));
  }
  const SweepRow* const worst = worst_row(sweep);
  return {
    {"ours", sweep.ours},
    {"theirs", sweep.theirs},
    {"mean_ratio", worst == nullptr ? Json(nullptr) : Json(mean_ratio(sweep))},
    {"worst", worst == nullptr ? Json(nullptr) : Json{{"sizes", worst->sizes}, {"ratio", worst->comparison->ratio}}},
    {"rows", rows}};
}

} // namespace hone::app
