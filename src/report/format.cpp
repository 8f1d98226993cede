#include "report/format.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::report {

namespace {

// Too few samples for an interval give an infinite one.
constexpr const char* k_unbounded = "no interval";

bool bounded(const Interval& interval)
{
  return std::isfinite(interval.low) && std::isfinite(interval.high);
}

std::string with_decimals(double value, int decimals)
{
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "\u2014";
}

int decimals_for(double value, int digits)
{
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(size)) {
    return 0;
  }
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 9);
}

} // namespace

std::string escape_html(std::string_view text)
{
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
      if (control) {
        out += "\uFFFD";
      } else {
        out += c;
      }
    }
    }
  }
  return out;
}

std::string number_text(double value)
{
  return with_decimals(value, decimals_for(value, 3));
}

std::string ratio_text(double ratio)
{
  return number_text(ratio) + "\u00d7";
}

std::string ratio_interval_text(const Interval& interval, double ratio)
{
  if (!bounded(interval)) {
    return k_unbounded;
  }
  const double width = interval.high - interval.low;
  const int decimals = std::max(decimals_for(ratio, 3), width > 0 ? std::min(decimals_for(width, 1), 4) : 0);
  return fmt::format("[{}, {}]", with_decimals(interval.low, decimals), with_decimals(interval.high, decimals));
}

std::string time_interval_text(const Interval& interval)
{
  if (!bounded(interval)) {
    return k_unbounded;
  }
  return fmt::format("[{}, {}]", format_seconds(interval.low), format_seconds(interval.high));
}

std::string percent_text(double fraction)
{
  return number_text(fraction * 100) + " %";
}

std::string short_id(std::string_view id)
{
  return std::string(id.substr(0, 10));
}

} // namespace hone::report
