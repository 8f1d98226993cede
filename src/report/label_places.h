// Finds free places for labels in a chart, so that no two overlap. (internal to the report room)
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace hone::report {

struct Box {
  double x = 0, y = 0, width = 0, height = 0; // x, y: top left
};

class LabelPlaces {
public:
  explicit LabelPlaces(Box bounds) : m_bounds(bounds) {}
  void occupy(const Box& box) { m_taken.push_back(box); }
  // The free box nearest to a point, right below or left above of it first; occupied from then on. Nothing when every
  // place near it is taken.
  std::optional<Box> place(double x, double y, double width, double height);

private:
  bool free(const Box& box) const;
  Box m_bounds;
  std::vector<Box> m_taken;
};

// Estimated width of a text in a sans-serif face; generous, since the reader's face is not known.
double text_width(std::string_view text, double font_size);

} // namespace hone::report
