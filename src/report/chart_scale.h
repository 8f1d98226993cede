// The vertical axis of a chart: values to pixels, and where the ticks go. (internal to the report room)
#pragma once

#include <vector>

namespace hone::report {

class ChartScale {
public:
  // Covers [low, high] (both > 0) with a little room; logarithmic when the span is large.
  ChartScale(double low, double high, double pixel_low, double pixel_high);
  double at(double value) const; // pixel
  bool logarithmic() const { return m_logarithmic; }
  std::vector<double> ticks() const; // round numbers inside, rising; at most seven

private:
  double m_low, m_high, m_pixel_low, m_pixel_high;
  bool m_logarithmic;
};

} // namespace hone::report
