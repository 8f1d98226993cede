#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace hone {

namespace {

// Edit distance with neighbouring swaps (optimal string alignment), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    previous[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

} // namespace

std::vector<std::string> split(std::string_view text, char separator)
{
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text)
{
  constexpr std::string_view k_space = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(k_space);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(k_space) - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator)
{
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string printable(std::string text)
{
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    // U+0080 to U+009F are control characters, too: U+009B begins what ESC [ does.
    const bool two_bytes = c == 0xc2 && next >= 0x80 && next < 0xa0;
    const bool one_byte = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    out += two_bytes || one_byte ? '?' : text[i];
    i += two_bytes ? 1 : 0;
  }
  return out;
}

bool is_hexadecimal(std::string_view text)
{
  return std::ranges::all_of(text, [](unsigned char letter) { return std::isxdigit(letter) != 0; });
}

std::string replace_all(std::string text, std::string_view from, std::string_view to)
{
  if (from.empty()) {
    return text;
  }
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string with_lines_joined(std::string_view text)
{
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '\\' ? text.find_first_not_of(" \t\r\v\f", at + 1) : std::string_view::npos;
    if (end != std::string_view::npos && text[end] == '\n') {
      at = end;
    } else {
      joined += text[at];
    }
  }
  return joined;
}

std::size_t first_different_line(std::string_view a, std::string_view b)
{
  if (a == b) {
    return 0;
  }
  const auto at = std::ranges::mismatch(a, b).in1;
  return 1 + static_cast<std::size_t>(std::count(a.begin(), at, '\n'));
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates)
{
  std::string best;
  // A third of the letters may differ: beyond that a suggestion confuses more than it helps.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool says_nothing = word.size() == 1 && !(candidate.size() == 1 && (candidate[0] ^ word[0]) == ('a' ^ 'A'));
    if (candidate == word || says_nothing) { // what is refused is no way out, nor is any other letter
      continue;
    }
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string format_seconds(double seconds)
{
  const auto three_digits = [](double value, const char* unit) {
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  const double size = std::abs(seconds);
  if (size >= 0.9995) {
    return three_digits(seconds, "s");
  }
  if (size >= 0.9995e-3) {
    return three_digits(seconds * 1e3, "ms");
  }
  if (size >= 0.9995e-6) {
    return three_digits(seconds * 1e6, "us");
  }
  return three_digits(seconds * 1e9, "ns");
}

std::string format_bytes(double bytes)
{
  static constexpr const char* k_units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(k_units)) {
    bytes /= 1024;
    ++unit;
  }
  return bytes == std::floor(bytes) ? fmt::format("{:.0f} {}", bytes, k_units[unit])
                                    : fmt::format("{:.1f} {}", bytes, k_units[unit]);
}

} // namespace hone
