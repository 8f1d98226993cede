#include "report/label_places.h"

#include <algorithm>

namespace hone::report {

namespace {

constexpr double k_gap = 9;
constexpr int k_rows = 3; // how far from its point a label may go, in its own heights, and still be taken for its

bool overlap(const Box& a, const Box& b)
{
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

} // namespace

bool LabelPlaces::free(const Box& box) const
{
  const bool inside = box.x >= m_bounds.x && box.y >= m_bounds.y && box.x + box.width <= m_bounds.x + m_bounds.width
                      && box.y + box.height <= m_bounds.y + m_bounds.height;
  return inside && std::none_of(m_taken.begin(), m_taken.end(), [&](const Box& taken) { return overlap(box, taken); });
}

std::optional<Box> LabelPlaces::place(double x, double y, double width, double height)
{
  for (int row = 0; row < k_rows; ++row) {
    const double below = y + k_gap / 2 + row * height;
    const double above = y - k_gap / 2 - (row + 1) * height;
    for (const Box& box : {Box{x - width - k_gap, above, width, height}, Box{x + k_gap, below, width, height},
                           Box{x - width / 2, above, width, height}, Box{x - width / 2, below, width, height},
                           Box{x + k_gap, above, width, height}, Box{x - width - k_gap, below, width, height}}) {
      if (free(box)) {
        occupy(box);
        return box;
      }
    }
  }
  return std::nullopt;
}

double text_width(std::string_view text, double font_size)
{
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return 0.62 * font_size * static_cast<double>(letters);
}

} // namespace hone::report
