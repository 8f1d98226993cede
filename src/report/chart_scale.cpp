#include "report/chart_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::report {

namespace {

constexpr double k_large_span = 6; // from here on a linear axis would press the early steps flat
constexpr std::size_t k_most_ticks = 7;

std::vector<double> linear_ticks(double low, double high)
{
  const double rough = (high - low) / 5;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= rough) {
      step = factor * decade;
      break;
    }
  }
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) {
    ticks.push_back(tick);
  }
  return ticks;
}

// As many round numbers per decade as stay within the limit.
std::vector<double> logarithmic_ticks(double low, double high)
{
  static const std::array<std::vector<double>, 3> k_choices = {{{1, 2, 5}, {1, 3}, {1}}};
  std::vector<double> ticks;
  for (const auto& factors : k_choices) {
    ticks.clear();
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
      for (const double factor : factors) {
        if (factor * decade >= low && factor * decade <= high) {
          ticks.push_back(factor * decade);
        }
      }
    }
    if (ticks.size() <= k_most_ticks) {
      break;
    }
  }
  return ticks;
}

} // namespace

ChartScale::ChartScale(double low, double high, double pixel_low, double pixel_high)
  : m_low(low), m_high(high), m_pixel_low(pixel_low), m_pixel_high(pixel_high), m_logarithmic(high / low > k_large_span)
{
  if (m_logarithmic) {
    m_low /= 1.35;
    m_high *= 1.35;
  } else {
    m_low = 0;
    m_high *= 1.1;
  }
}

double ChartScale::at(double value) const
{
  const double part = m_logarithmic ? std::log(std::max(value, m_low) / m_low) / std::log(m_high / m_low)
                                    : (value - m_low) / (m_high - m_low);
  return m_pixel_low + part * (m_pixel_high - m_pixel_low);
}

std::vector<double> ChartScale::ticks() const
{
  return m_logarithmic ? logarithmic_ticks(m_low, m_high) : linear_ticks(m_low, m_high);
}

} // namespace hone::report
