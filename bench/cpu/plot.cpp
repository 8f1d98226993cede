#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone {

namespace {

constexpr int k_left = 190;       // pixels for the names
constexpr int k_bar = 9;          // height of a bar
constexpr int k_per_unit = 420;   // pixels of a ratio of 1
constexpr int k_gap = 10;         // between problems
constexpr double k_longest = 1.6; // ratio at which bars are cut off
constexpr std::array k_colours = {"#1f6f8b", "#99a8b2", "#e07a5f", "#f2cc8f"};

} // namespace

std::string plot(const std::vector<Column>& columns)
{
  const std::size_t problems = columns.empty() ? 0 : columns.front().figures.size();
  const int row = k_bar * static_cast<int>(columns.size()) + k_gap;
  const int height = 30 + row * static_cast<int>(problems) + 20 * static_cast<int>(columns.size());
  const int width = k_left + static_cast<int>(k_longest * k_per_unit) + 20;
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
                                "font-family=\"sans-serif\" font-size=\"12\">\n"
                                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                                width, height);
  for (std::size_t at = 0; at < problems; ++at) {
    const int top = 20 + row * static_cast<int>(at);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", k_left - 8, top + row / 2,
                       columns.front().figures[at].problem.text());
    for (std::size_t c = 0; c < columns.size() && at < columns[c].figures.size(); ++c) {
      const double ratio = columns[c].figures[at].ratio();
      out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{:.3f}</title></rect>\n",
                    k_left, top + k_bar * static_cast<int>(c), std::min(ratio, k_longest) * k_per_unit, k_bar - 1,
                    k_colours[c % k_colours.size()], ratio);
    }
  }
  const int bottom = 20 + row * static_cast<int>(problems);
  out += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"14\" y2=\"{1}\" stroke=\"black\"/>\n"
                     "<text x=\"{0}\" y=\"11\" text-anchor=\"middle\">the strongest library</text>\n",
                     k_left + k_per_unit, bottom);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int y = bottom + 16 + 18 * static_cast<int>(c);
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"9\" fill=\"{}\"/>\n"
                       "<text x=\"{}\" y=\"{}\">sizes {}, {} thread(s): geometric mean {:.3f}</text>\n",
                       k_left, y - 9, k_colours[c % k_colours.size()], k_left + 18, y,
                       columns[c].sizes == "timed" ? "compiled in" : "at run time", columns[c].threads,
                       columns[c].geomean(true));
  }
  return out + "</svg>\n";
}

} // namespace hone
