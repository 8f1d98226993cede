#include "report/study_page.h"

#include "report/chart_scale.h"
#include "report/format.h"
#include "report/page_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace hone::report {

namespace {

constexpr double k_width = 1040, k_bar_row = 34, k_left = 230, k_right = 120, k_top = 10, k_bottom = 44;

// Values to pixels across the chart, and where its vertical lines stand.
struct Axis {
  std::function<double(double)> at;
  std::vector<std::pair<double, std::string>> ticks;
  std::string name;
  bool shares = false;
};

Axis axis_of_shares(const std::string& name)
{
  Axis axis;
  axis.at = [](double share) { return k_left + share * (k_width - k_left - k_right); };
  for (const int percent : {0, 25, 50, 75, 100}) {
    axis.ticks.emplace_back(percent / 100.0, fmt::format("{} %", percent));
  }
  axis.name = name;
  axis.shares = true;
  return axis;
}

Axis axis_of_ratios(const StudyPage& page)
{
  double low = 1;
  double high = 1;
  const auto cover = [&](double value) {
    if (value > 0 && value < 1e9) { // an interval may have no end
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  for (const StudyMark& mark : page.marks) {
    cover(mark.middle);
    cover(mark.range.low);
    cover(mark.range.high);
    std::ranges::for_each(mark.single, cover);
  }
  const ChartScale scale(low, std::max(high, 1.01 * low), k_left, k_width - k_right);
  Axis axis;
  axis.at = [scale](double value) { return scale.at(value); };
  for (const double tick : scale.ticks()) {
    axis.ticks.emplace_back(tick, fmt::format("{:.6g}", tick));
  }
  axis.name = page.axis + (scale.logarithmic() ? ", logarithmic" : "");
  return axis;
}

// As long as there is room for at the left.
std::string shortened(const std::string& text)
{
  constexpr std::size_t k_room = 32;
  return text.size() <= k_room ? text : text.substr(0, k_room - 3) + "...";
}

std::string svg_of_mark(const StudyMark& mark, const Axis& axis, double y)
{
  const auto within = [](double x) { return std::clamp(x, k_left, k_width - k_right); };
  std::string svg =
    fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="end"><title>{}</title>{}</text>)",
                k_left - 14, y + 4, escape_html(mark.group), escape_html(shortened(mark.group)));
  for (const double value : mark.single) {
    if (value > 0) {
      svg += fmt::format(R"(<circle class="p-over" cx="{:.1f}" cy="{:.1f}" r="3"/>)", within(axis.at(value)), y);
    }
  }
  if (mark.range.high > mark.range.low && (mark.range.low > 0 || axis.shares)) {
    svg += fmt::format(
      R"(<path class="p-path whisker" d="M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}H{4:.1f}M{4:.1f} {1:.1f}V{2:.1f}"/>)",
      within(axis.at(mark.range.low)), y - 5, y + 5, y, within(axis.at(mark.range.high)));
  }
  if (mark.middle > 0 || axis.shares) { // a ratio of 0: nothing came of any run
    svg += fmt::format(R"(<circle class="p-path" cx="{:.1f}" cy="{:.1f}" r="5"/>)", within(axis.at(mark.middle)), y);
  }
  return svg
         + fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>)", k_width - k_right + 14, y + 4,
                       escape_html(mark.text));
}

std::string chart(const StudyPage& page)
{
  const Axis axis = page.shares ? axis_of_shares(page.axis) : axis_of_ratios(page);
  const double floor = k_top + k_bar_row * static_cast<double>(page.marks.size());
  std::string svg;
  for (const auto& [value, text] : axis.ticks) {
    svg += fmt::format(R"(<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)", axis.at(value),
                       k_top, floor);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", axis.at(value),
                       floor + 18, text);
  }
  double y = k_top + k_bar_row / 2;
  for (const StudyMark& mark : page.marks) {
    svg += svg_of_mark(mark, axis, y);
    y += k_bar_row;
  }
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", k_width - k_right,
                     floor + k_bottom - 8, escape_html(axis.name));
  return fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>)", k_width,
                     floor + k_bottom, escape_html(page.axis), svg);
}

std::string table(const std::vector<std::vector<std::string>>& rows)
{
  std::string html;
  for (const auto& row : rows) {
    const char* const cell = &row == &rows.front() ? "th" : "td";
    html += "<tr>";
    for (const std::string& text : row) {
      html += fmt::format("<{0}>{1}</{0}>", cell, escape_html(text));
    }
    html += "</tr>";
  }
  return html;
}

} // namespace

std::string study_page(const StudyPage& page)
{
  std::string chips;
  for (const auto& [name, value] : page.conditions) {
    if (!value.empty()) {
      chips += fmt::format("<li><span>{}</span>{}</li>", escape_html(name), escape_html(value));
    }
  }
  const std::string note = page.note.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>", escape_html(page.note));
  return fmt::format(
    R"(<!doctype html>
<html lang="en">{}
<body><header class="masthead"><div><h1>{}</h1><p class="summary">{}</p><ul class="chips">{}</ul></div></header>
<main><section>{}<div class="card">{}</div></section>
<section><h2>Figures</h2><div class="card"><div class="scroll"><table>{}</table></div></div></section></main>
<footer>Written by Hone.</footer></body></html>
)",
    page_head(page.title), escape_html(page.title), escape_html(page.summary), chips, note, chart(page),
    table(page.table));
}

} // namespace hone::report
