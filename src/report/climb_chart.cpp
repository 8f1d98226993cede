#include "report/climb_chart.h"

#include "report/chart_scale.h"
#include "report/format.h"
#include "report/label_places.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::report {

namespace {

constexpr double k_font = 11.5;
constexpr double k_strip = 26; // below the plot: steps that were never timed

// Better is higher: GFLOP/s where the work is known, else the speed-up over the start.
struct Measure {
  double work = 1; // value = work / seconds
  std::string unit;
  double of(double seconds) const { return work / seconds; }
};

struct Line {
  double value = 0;
  std::string label;
  const char* css = "";
};

struct Point {
  const StepSummary* step = nullptr;
  double x = 0, y = 0;
};

struct Plot {
  const ReportInput& input;
  ChartSize size;
  double left = 46, right = 16, top = 14, bottom = 44;
  Measure measure;
  std::vector<Line> lines;
  std::size_t columns = 0;

  double x_of(std::size_t position) const
  {
    const double inner = size.width - left - right - 16;
    return left + 12 + (columns > 1 ? inner * static_cast<double>(position) / static_cast<double>(columns - 1) : 0);
  }
  double floor_y() const { return size.height - bottom; }
};

Measure measure_for(const ReportInput& input, const ClimbSummary& summary)
{
  if (input.flops > 0) {
    return {input.flops * 1e-9, "GFLOP/s"};
  }
  return {summary.start_time != nullptr ? summary.start_time->median : 1, "speed-up over the start"};
}

std::vector<Line> lines_for(const ReportInput& input, const ClimbSummary& summary, const Measure& measure)
{
  std::vector<Line> lines;
  if (input.floor_s > 0) {
    const double value = measure.of(input.floor_s);
    lines.push_back({value, "measured ceiling " + number_text(value), "ceiling"});
  }
  if (summary.best_baseline != nullptr && summary.best_time != nullptr) {
    const double value = measure.of(summary.best_time->median * summary.best_baseline->ratio);
    lines.push_back({value, summary.best_baseline->name + " " + number_text(value), "library"});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.value > b.value; });
  return lines;
}

ChartScale scale_for(const Plot& plot, const ClimbSummary& summary)
{
  double low = HUGE_VAL;
  double high = 0;
  const auto cover = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const StepSummary& step : summary.steps) {
    if (step.time != nullptr) {
      cover(plot.measure.of(step.time->median));
    }
  }
  for (const Line& line : plot.lines) {
    cover(line.value);
  }
  return ChartScale(low, high, plot.floor_y() - k_strip, plot.top);
}

std::string axis(const Plot& plot, const ChartScale& scale)
{
  std::string svg;
  for (const double tick : scale.ticks()) {
    const double y = scale.at(tick);
    svg += fmt::format(R"(<line class="grid" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/>)", plot.left,
                       plot.size.width - plot.right, y);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", plot.left - 8, y + 4,
                       fmt::format("{:.6g}", tick));
  }
  const std::size_t every = std::max<std::size_t>(1, (plot.columns + 11) / 12);
  for (std::size_t i = 0; i < plot.columns; i += every) {
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", plot.x_of(i),
                       plot.floor_y() + 18, i + 1);
  }
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="end">steps in the order tried</text>)",
                     plot.size.width - plot.right, plot.size.height - 8);
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}">{}{}</text>)", 4.0, plot.size.height - 8,
                     plot.measure.unit, scale.logarithmic() ? ", logarithmic" : "");
  return svg;
}

// Labels sit at the left, where a climb has not risen yet; of two close lines the lower one is labelled below.
std::string horizontal_lines(const Plot& plot, const ChartScale& scale, LabelPlaces& places)
{
  std::string svg;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const Line& line = plot.lines[i];
    const double y = scale.at(line.value);
    const bool close = i > 0 && y - scale.at(plot.lines[i - 1].value) < k_font + 8;
    const double text_y = close ? y + k_font + 3 : y - 5;
    svg += fmt::format(R"(<line class="{0}" x1="{1:.1f}" x2="{2:.1f}" y1="{3:.1f}" y2="{3:.1f}"/>)", line.css,
                       plot.left, plot.size.width - plot.right, y);
    svg += fmt::format(R"(<text class="{}-label" x="{:.1f}" y="{:.1f}">{}</text>)", line.css, plot.left + 6, text_y,
                       escape_html(line.label));
    places.occupy({plot.left, text_y - k_font, text_width(line.label, k_font) + 12, k_font + 5});
    places.occupy({plot.left, y - 2, plot.size.width, 4});
  }
  return svg;
}

std::vector<Point> points_of(const Plot& plot, const ChartScale& scale, const ClimbSummary& summary)
{
  std::vector<Point> points;
  for (std::size_t i = 0; i < summary.steps.size(); ++i) {
    const StepSummary& step = summary.steps[i];
    const double y = step.time != nullptr ? scale.at(plot.measure.of(step.time->median)) : plot.floor_y() - 6;
    points.push_back({&step, plot.x_of(i), y});
  }
  return points;
}

bool on_path(const Point& point)
{
  return point.step->outcome == StepOutcome::path && point.step->time != nullptr;
}

// The best so far, as a staircase to the right edge, with the ground below it tinted.
std::string staircase(const Plot& plot, const std::vector<Point>& points, LabelPlaces& places)
{
  std::string path;
  double first_x = 0;
  const Point* last = nullptr;
  for (const Point& point : points) {
    if (!on_path(point)) {
      continue;
    }
    if (last == nullptr) {
      first_x = point.x;
      path = fmt::format("M{:.1f} {:.1f}", point.x, point.y);
    } else {
      path += fmt::format("H{:.1f}V{:.1f}", point.x, point.y);
      places.occupy({last->x, last->y - 1, point.x - last->x, 2});
      places.occupy({point.x - 1, std::min(last->y, point.y), 2, std::abs(last->y - point.y)});
    }
    last = &point;
  }
  if (last == nullptr) {
    return "";
  }
  const double edge = plot.size.width - plot.right;
  places.occupy({last->x, last->y - 1, edge - last->x, 2});
  path += fmt::format("H{:.1f}", edge);
  return fmt::format(R"(<path class="ground" d="{0}V{1:.1f}H{2:.1f}Z"/><path class="climb" d="{0}"/>)", path,
                     plot.floor_y() - k_strip + 8, first_x);
}

std::string marker(const Plot& plot, const ChartScale& scale, const Point& point)
{
  const StepSummary& step = *point.step;
  if (step.time == nullptr) {
    const char* css = step.outcome == StepOutcome::failed ? "p-failed" : "p-untimed";
    return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}l7 7m0 -7l-7 7"/>)", css, point.x - 3.5, point.y - 3.5);
  }
  static constexpr std::array<const char*, 5> k_css = {"p-path", "p-branch", "p-again", "p-over", "p-failed"};
  const char* css = k_css[static_cast<std::size_t>(step.outcome)];
  std::string svg;
  const Interval& ci95 = step.time->ci95;
  if (ci95.low > 0 && std::isfinite(ci95.high)) {
    svg += fmt::format(R"(<line class="{0} whisker" x1="{1:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{3:.1f}"/>)", css,
                       point.x, scale.at(plot.measure.of(ci95.low)), scale.at(plot.measure.of(ci95.high)));
  }
  const double radius = step.outcome == StepOutcome::path ? 5 : 3.6;
  return svg + fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", css, point.x, point.y, radius);
}

std::string labels(const std::vector<Point>& points, LabelPlaces& places)
{
  std::string svg;
  // From the end: the later steps are the ones that readers look for first.
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (!on_path(*point)) {
      continue;
    }
    std::string text = step_name(point->step->step->record);
    if (text.size() > 26) {
      text = text.substr(0, 25) + "\u2026";
    }
    const auto box = places.place(point->x, point->y, text_width(text, k_font), k_font + 3);
    if (box) {
      svg += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}">{}</text>)", box->x, box->y + k_font,
                         escape_html(text));
    }
  }
  return svg;
}

std::vector<std::string> tip_lines(const Plot& plot, const StepSummary& step, std::size_t position)
{
  const record::Record& record = step.step->record;
  std::vector<std::string> lines{fmt::format("{}. {}", position + 1, step_name(record))};
  if (step.comparison != nullptr) {
    lines.push_back(fmt::format("{} {} {}", record::name_of(step.comparison->verdict),
                                ratio_text(step.comparison->ratio),
                                ratio_interval_text(step.comparison->ci95, step.comparison->ratio)));
  }
  if (step.time != nullptr) {
    lines.push_back(fmt::format("{}, {} {}", format_seconds(step.time->median),
                                number_text(plot.measure.of(step.time->median)), plot.measure.unit));
  } else {
    lines.push_back(fmt::format("{}{}", record::name_of(record.verdict.status),
                                step.outcome == StepOutcome::failed ? "" : ", not timed"));
  }
  lines.emplace_back(name_of(step.outcome));
  for (std::string& line : lines) {
    if (line.size() > 44) {
      line = line.substr(0, 43) + "\u2026";
    }
  }
  return lines;
}

// Shown by CSS alone while the pointer or the focus is on the point.
std::string tip(const Plot& plot, const Point& point, std::size_t position)
{
  const auto lines = tip_lines(plot, *point.step, position);
  double width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, text_width(line, k_font) + 20);
  }
  const double height = 17 * static_cast<double>(lines.size()) + 12;
  const double x = std::clamp(point.x - width / 2, 2.0, std::max(2.0, plot.size.width - width - 2));
  const double y = point.y - height - 12 > 0 ? point.y - height - 12 : point.y + 12;
  std::string svg = fmt::format(
    R"(<g class="hit" tabindex="0"><circle cx="{:.1f}" cy="{:.1f}" r="11"/><g class="tip"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="7"/>)",
    point.x, point.y, x, y, width, height);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}"{}>{}</text>)", x + 10, y + 19 + 17 * static_cast<double>(i),
                       i == 0 ? R"( class="tip-name")" : "", escape_html(lines[i]));
  }
  return svg + "</g></g>";
}

} // namespace

std::string climb_chart(const ReportInput& input, const ClimbSummary& summary, ChartSize size)
{
  const bool timed = std::any_of(summary.steps.begin(), summary.steps.end(),
                                 [](const StepSummary& step) { return step.time != nullptr; });
  if (!timed) {
    return "";
  }
  Plot plot{
    .input = input, .size = size, .measure = measure_for(input, summary), .lines = {}, .columns = summary.steps.size()};
  plot.lines = lines_for(input, summary, plot.measure);
  const ChartScale scale = scale_for(plot, summary);
  const auto points = points_of(plot, scale, summary);

  LabelPlaces places({plot.left, 0, size.width - plot.left, plot.floor_y() - k_strip + 8});
  std::string svg =
    fmt::format(R"(<svg class="chart" viewBox="0 0 {0} {1}" role="img" aria-label="The climb: speed of each step">)",
                size.width, size.height);
  svg += axis(plot, scale) + staircase(plot, points, places) + horizontal_lines(plot, scale, places);
  for (const Point& point : points) {
    places.occupy({point.x - 6, point.y - 6, 12, 12});
    svg += marker(plot, scale, point);
  }
  svg += labels(points, places);
  for (std::size_t i = 0; i < points.size(); ++i) {
    svg += tip(plot, points[i], i);
  }
  return svg + "</svg>";
}

} // namespace hone::report
