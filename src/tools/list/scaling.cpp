// Time of a call over sizes and threads: where it stops growing in step.
#include "tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::tools {
namespace {

constexpr std::int64_t k_most_points = 8;
constexpr double k_in_step = 0.8; // of the efficiency of the largest, or of one thread

// Three digits: what follows is noise.
double rounded(double value)
{
  if (value <= 0 || !std::isfinite(value)) {
    return 0;
  }
  const double step = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}

struct Timing {
  double seconds = 0, spread = 0; // spread: of the interval, over the median
};

Result<Timing> time_of(Bench& bench, const record::Recipe& recipe)
{
  HONE_TRY(const record::Verdict verdict,
           bench.gate().measure(bench.spec().subject.contender, recipe, record::Depth::glance, false));
  const auto& time = verdict.cold ? verdict.cold : verdict.hot;
  if (verdict.status != record::Status::correct || !time || time->median <= 0) {
    return fail(fmt::format("it is not correct at {}: {}", kernel::to_text(recipe.sizes), verdict.reason),
                "`hone run` says where; only correct candidates are timed");
  }
  return Timing{time->median, (time->ci95.high - time->ci95.low) / time->median};
}

// What a call has to do, in whatever unit: operations, or where they are not known the size that varies.
double work_at(const Bench& bench, const kernel::Sizes& sizes, std::int64_t otherwise)
{
  const auto work = kernel::work_of(bench.kernel(), sizes);
  return work && work->total() > 0 ? work->total() : static_cast<double>(otherwise);
}

class Scaling final : public Tool {
public:
  std::string_view name() const override { return "scaling"; }
  std::string_view summary() const override
  {
    return "Time of a call over sizes (halved again and again) and threads (doubled), with efficiency and spread.";
  }
  bool is_deterministic() const override { return false; }
  std::vector<ToolArgument> arguments() const override
  {
    return {{"size", ArgumentType::text, "The size that is halved; all: each of them.", "all", {}},
            {"points", ArgumentType::integer, "How many sizes, the one asked for first; at most 8.", 4, {}},
            {"threads", ArgumentType::integer, "Most threads to try; 0: as many as there are CPUs.", 0, {}}};
  }

  Result<void> check(const Bench& bench) const override
  {
    return bench.backend().capabilities().times
             ? Result<void>()
             : fail("nothing is timed here: the device is emulated", "use a machine with a GPU");
  }

  Result<Report> run(Bench& bench, const Json& arguments) const override
  {
    const auto size = arguments.at("size").get<std::string>();
    const auto points = arguments.at("points").get<std::int64_t>();
    if (size != "all" && !bench.spec().recipe.sizes.contains(size)) {
      return fail(fmt::format("{} has no size {}", bench.kernel().name, size),
                  "its sizes: " + kernel::to_text(bench.spec().recipe.sizes));
    }
    if (points < 1 || points > k_most_points) {
      return fail(fmt::format("scaling: points cannot be {}", points), "give 1 to 8");
    }
    Report report;
    HONE_CHECK(add_sizes(report, bench, size, points));
    if (bench.backend().takes_threads()) {
      HONE_CHECK(add_threads(report, bench, arguments.at("threads").get<std::int64_t>()));
    }
    report.notes.emplace_back("each is timed alone, against itself; only correct calls are");
    return report;
  }

private:
  static Result<void> add_sizes(Report& report, Bench& bench, const std::string& size, std::int64_t points)
  {
    Table table{"sizes",
                {{"sizes", ""}, {"time", "us", true}, {"spread", "%", true}, {"work a second", "% of the first", true}},
                {}};
    kernel::Sizes sizes = bench.spec().recipe.sizes;
    double first_rate = 0, worst = 1;
    std::string worst_sizes;
    for (std::int64_t point = 0; point < points; ++point) {
      const std::int64_t varied = size == "all" ? sizes.begin()->second : sizes.at(size);
      const auto time = time_of(bench, bench.spec().recipe.at(sizes));
      if (!time && point == 0) {
        return std::unexpected(time.error());
      }
      if (!time) { // a kernel of its timed sizes alone, or a plan that needs larger ones
        report.notes.push_back(time.error().message);
        break;
      }
      const double rate = work_at(bench, sizes, varied) / time->seconds;
      first_rate = point == 0 ? rate : first_rate;
      if (rate / first_rate < worst) {
        worst = rate / first_rate;
        worst_sizes = kernel::to_text(sizes);
      }
      table.rows.push_back({kernel::to_text(sizes), rounded(1e6 * time->seconds), rounded(100 * time->spread),
                            rounded(100 * rate / first_rate)});
      bool halves = false;
      for (auto& [name, value] : sizes) {
        if ((size == "all" || name == size) && value > 1) {
          value /= 2;
          halves = true;
        }
      }
      if (!halves) {
        break;
      }
    }
    report.add_measured(worst < k_in_step
                          ? fmt::format("at {} it does {:.0f} % of the work a second that it does at the "
                                        "first sizes",
                                        worst_sizes, 100 * worst)
                          : "the time grows in step with the work at all these sizes");
    report.tables.push_back(std::move(table));
    return {};
  }

  static Result<void> add_threads(Report& report, Bench& bench, std::int64_t most)
  {
    Table table{
      "threads", {{"threads", ""}, {"time", "us", true}, {"spread", "%", true}, {"efficiency", "%", true}}, {}};
    double one = 0, last = 1;
    record::Recipe recipe = bench.spec().recipe;
    recipe.further.clear();
    for (recipe.threads = 1; bench.gate().check(recipe) && (most == 0 || recipe.threads <= most); recipe.threads *= 2) {
      const auto timed = time_of(bench, recipe);
      if (!timed && recipe.threads > 1) { // other programs had the CPUs
        report.notes.push_back(fmt::format("with {} threads {}", recipe.threads, timed.error().message));
        break;
      }
      HONE_TRY(const Timing time, timed);
      one = recipe.threads == 1 ? time.seconds : one;
      last = one / time.seconds / recipe.threads;
      table.rows.push_back(
        {std::int64_t{recipe.threads}, rounded(1e6 * time.seconds), rounded(100 * time.spread), rounded(100 * last)});
    }
    if (table.rows.size() > 1) {
      report.add_measured(fmt::format("{} threads reach {:.0f} % of {} times one thread's speed",
                                      to_text(table.rows.back()[0]), 100 * last, to_text(table.rows.back()[0])));
    } else {
      report.notes.emplace_back("several threads were not tried, or not timed");
    }
    report.tables.push_back(std::move(table));
    return {};
  }
};

} // namespace

const Tool& scaling_tool()
{
  static const Scaling tool;
  return tool;
}

} // namespace hone::tools
