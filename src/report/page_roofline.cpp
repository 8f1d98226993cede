// The roofline: what arithmetic and each level of memory allow at every ratio of operations to bytes, and where the
// kernel stands below that.
#include "report/format.h"
#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace hone::report {

namespace {

constexpr double k_roof_width = 1040, k_roof_height = 380;
constexpr double k_roof_left = 56, k_roof_right = 150, k_roof_top = 18, k_roof_bottom = 46;
constexpr double k_roof_label_height = 14;
constexpr double k_latency_share = 0.25; // of the roof: below it neither arithmetic nor bandwidth explains the time

// Both axes are logarithmic.
struct RoofAxes {
  double low_x, high_x, low_y, high_y;

  double x(double intensity) const
  {
    return k_roof_left
           + (k_roof_width - k_roof_left - k_roof_right) * std::log(intensity / low_x) / std::log(high_x / low_x);
  }
  double y(double gflops) const
  {
    return k_roof_height - k_roof_bottom
           - (k_roof_height - k_roof_bottom - k_roof_top) * std::log(std::max(gflops, low_y) / low_y)
               / std::log(high_y / low_y);
  }
};

std::string roof_level_name(const std::string& level)
{
  return level == "DRAM" ? "memory" : level;
}

// Powers of ten, or of two where there are few.
std::string roof_grid(const RoofAxes& axes)
{
  std::string svg;
  for (double value = std::pow(10, std::ceil(std::log10(axes.low_y))); value <= axes.high_y; value *= 10) {
    svg += fmt::format(
      R"(<line class="grid" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/><text class="tick" x="{3:.1f}" y="{4:.1f}" text-anchor="end">{5:g}</text>)",
      k_roof_left, k_roof_width - k_roof_right, axes.y(value), k_roof_left - 8, axes.y(value) + 4, value);
  }
  for (double value = std::pow(2, std::ceil(std::log2(axes.low_x))); value <= axes.high_x; value *= 4) {
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{:g}</text>)", axes.x(value),
                       k_roof_height - k_roof_bottom + 18, value);
  }
  return svg
         + fmt::format(
           R"(<text class="axis" x="4" y="{0:.1f}">GFLOP/s</text><text class="axis" x="{1:.1f}" y="{0:.1f}" text-anchor="end">operations per byte that must be moved</text>)",
           k_roof_height - 8, k_roof_width - k_roof_right);
}

std::string roof_lines(const ReportInput& input, const RoofAxes& axes)
{
  const Roofline& roof = input.roofline;
  std::string svg = fmt::format(
    R"(<line class="ceiling" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/><text class="ceiling-label" x="{3:.1f}" y="{4:.1f}">arithmetic {5}</text>)",
    k_roof_left, k_roof_width - k_roof_right, axes.y(roof.gflops), k_roof_width - k_roof_right + 6,
    axes.y(roof.gflops) + 4, number_text(roof.gflops));
  std::vector<std::pair<std::string, double>> levels(roof.gbytes.begin(), roof.gbytes.end());
  std::ranges::sort(levels, std::ranges::greater(), [](const auto& level) { return level.second; });
  double last_label = 0;
  for (const auto& [level, gbytes] : levels) {
    const double ridge = std::clamp(roof.gflops / gbytes, axes.low_x, axes.high_x);
    const double begin = std::clamp(axes.low_y / gbytes, axes.low_x, ridge);
    last_label = std::max(axes.y(begin * gbytes) - 6, last_label + k_roof_label_height); // of close levels, below
    svg += fmt::format(
      R"(<line class="{0}" x1="{1:.1f}" y1="{2:.1f}" x2="{3:.1f}" y2="{4:.1f}"/><text class="label" x="{5:.1f}" y="{6:.1f}">{7} {8} GB/s</text>)",
      level == roof.bound_by ? "library" : "grid", axes.x(begin), axes.y(begin * gbytes), axes.x(ridge),
      axes.y(ridge * gbytes), axes.x(begin) + 6, last_label, escape_html(roof_level_name(level)), number_text(gbytes));
  }
  return svg;
}

std::string roof_point(const RoofAxes& axes, double intensity, double gflops, const char* css, std::string_view label)
{
  return fmt::format(
    R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="6"/><text class="label" x="{:.1f}" y="{:.1f}">{} {} GFLOP/s</text>)",
    css, axes.x(intensity), axes.y(gflops), axes.x(intensity) + 11, axes.y(gflops) + 4, label, number_text(gflops));
}

std::string roof_sentence(const ReportInput& input, double seconds)
{
  const Roofline& roof = input.roofline;
  const double share = input.floor_s / seconds;
  const std::string limit =
    roof.bound_by.empty()
      ? fmt::format("arithmetic, {} GFLOP/s", number_text(roof.gflops))
      : fmt::format("the bandwidth of {}, {} GB/s", roof_level_name(roof.bound_by),
                    number_text(roof.gbytes.contains(roof.bound_by) ? roof.gbytes.at(roof.bound_by)
                                                                    : roof.bytes / input.floor_s / 1e9));
  const std::string kind = share < k_latency_share ? "Latency-bound: neither arithmetic nor bandwidth explains the time"
                           : roof.bound_by.empty()
                             ? "Compute-bound"
                             : fmt::format("Bandwidth-bound ({})", roof_level_name(roof.bound_by));
  return fmt::format("{}. The roof is {}. The best reaches {} of it; a call at the roof would take {} less time.", kind,
                     limit, percent_text(share), percent_text(std::max(0.0, 1 - share)));
}

} // namespace

std::string page_roofline(const ReportInput& input, const ClimbSummary& summary)
{
  const Roofline& roof = input.roofline;
  if (summary.best_time == nullptr || input.flops <= 0 || input.floor_s <= 0 || roof.bytes <= 0 || roof.gflops <= 0
      || roof.gbytes.empty() || !(summary.best_time->median > 0)) {
    return "";
  }
  const double intensity = input.flops / roof.bytes;
  const double best = input.flops / summary.best_time->median * 1e-9;
  const bool moved = summary.start_time != nullptr && summary.start != summary.best && summary.start_time->median > 0;
  const double start = moved ? input.flops / summary.start_time->median * 1e-9 : best;
  if (!std::isfinite(best) || !std::isfinite(start) || !std::isfinite(intensity)) {
    return "";
  }
  const auto by_speed = [](const auto& level) { return level.second; };
  const auto [slowest, fastest] = std::ranges::minmax_element(roof.gbytes, {}, by_speed);
  if (!(slowest->second > 0) || !std::isfinite(fastest->second)) {
    return "";
  }
  const RoofAxes axes{std::min(intensity, roof.gflops / fastest->second) / 8,
                      std::max(intensity, roof.gflops / slowest->second) * 8, std::min({start, best, roof.gflops}) / 4,
                      std::max(best, roof.gflops) * 2};
  std::string points = moved ? roof_point(axes, intensity, start, "p-over", "start") : "";
  points += roof_point(axes, intensity, best, "p-path", "best");
  return fmt::format(
    R"(<section id="roofline"><h2>The roof</h2><p class="lead">{}</p><div class="card chart-card"><svg class="chart" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="roofline">{}{}{}</svg></div></section>)",
    escape_html(roof_sentence(input, summary.best_time->median)), k_roof_width, k_roof_height, roof_grid(axes),
    roof_lines(input, axes), points);
}

} // namespace hone::report
