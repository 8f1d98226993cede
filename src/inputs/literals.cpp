#include "inputs/literal_sizes.h"
#include "util/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace hone::inputs {
namespace {

constexpr std::int64_t k_least_extent = 40; // all below are among the hidden sizes
constexpr std::int64_t k_most_extent = 1 << 25;

bool may_be_extent(std::int64_t number)
{
  return number >= k_least_extent && number <= k_most_extent;
}

class LiteralReader {
public:
  LiteralReader(std::string_view text, std::int64_t least, std::int64_t most)
    : m_text(text), m_least(least), m_most(most)
  {
  }

  // All numbers, and what they come to where two stand on both sides of << or *.
  std::set<std::int64_t> read() &&
  {
    while (m_at < m_text.size()) {
      if (is_digit()) {
        const std::int64_t left = number();
        add(left);
        add_combined(left);
      } else if (is_word()) {
        skip_word();
      } else {
        ++m_at;
      }
    }
    return std::move(m_found);
  }

private:
  bool is_digit() const { return m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0; }
  bool is_word() const
  {
    return m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '_');
  }
  void skip_word()
  {
    while (is_word()) {
      ++m_at;
    }
  }
  void skip_space()
  {
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) {
      ++m_at;
    }
  }

  // The number that begins here; 0 where it is not whole or too large.
  std::int64_t number()
  {
    std::string digits;
    for (; is_word() || m_text.substr(m_at, 1) == "." || m_text.substr(m_at, 1) == "'"; ++m_at) {
      if (m_text[m_at] != '\'' && m_text[m_at] != '_') {
        digits += m_text[m_at];
      }
    }
    add_octal(digits);
    const bool binary = digits.starts_with("0b") || digits.starts_with("0B");
    const double value = binary ? static_cast<double>(std::strtoull(digits.c_str() + 2, nullptr, 2))
                                : std::strtod(digits.c_str(), nullptr); // knows 0x, fractions, exponents
    return value >= 1 && value <= static_cast<double>(k_most_extent) && value == std::floor(value)
             ? static_cast<std::int64_t>(value)
             : 0;
  }

  // C reads 02603 so, TOML does not: whoever writes it may mean either.
  void add_octal(const std::string& digits)
  {
    if (digits.starts_with('0')) {
      add(static_cast<std::int64_t>(
        std::min<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 8), k_most_extent + 1)));
    }
  }

  void add_combined(std::int64_t left)
  {
    skip_space();
    const bool shift = m_text.substr(m_at, 2) == "<<";
    if (left == 0 || (!shift && m_text.substr(m_at, 1) != "*")) {
      return;
    }
    m_at += shift ? 2 : 1;
    skip_space();
    if (!is_digit()) {
      return;
    }
    const std::int64_t right = number();
    add(right);
    const double result = shift
                            ? std::ldexp(static_cast<double>(left), static_cast<int>(std::min<std::int64_t>(right, 60)))
                            : static_cast<double>(left) * static_cast<double>(right);
    if (result <= static_cast<double>(k_most_extent)) {
      add(static_cast<std::int64_t>(result));
    }
  }

  void add(std::int64_t value)
  {
    if (value >= m_least && value <= m_most) {
      m_found.insert(value);
    }
  }

  std::string_view m_text;
  std::int64_t m_least, m_most;
  std::size_t m_at = 0;
  std::set<std::int64_t> m_found;
};

// Of a candidate's files and of what its code compares with, from `least` on.
std::set<std::int64_t> literals_from(std::int64_t least, const kernel::Candidate& candidate,
                                     std::span<const std::int64_t> compared)
{
  std::set<std::int64_t> all;
  for (const auto& [name, text] : candidate.files) {
    all.merge(LiteralReader(with_lines_joined(text), least, k_most_extent).read());
  }
  std::ranges::copy_if(compared, std::inserter(all, all.end()),
                       [least](std::int64_t number) { return number >= least && number <= k_most_extent; });
  return all;
}

} // namespace

std::vector<std::int64_t> blocks_at(const kernel::TuningPoint& point)
{
  std::set<std::int64_t> blocks;
  for (const auto& [name, value] : point) {
    if (may_be_extent(value)) {
      blocks.insert(value);
    }
  }
  return {blocks.begin(), blocks.end()};
}

std::vector<std::int64_t> literals_in(const kernel::Candidate& candidate, const kernel::TuningPoint& point,
                                      std::span<const std::int64_t> compared)
{
  std::set<std::int64_t> all = literals_from(k_least_extent, candidate, compared);
  const std::vector<std::int64_t> blocks = blocks_at(point);
  all.insert(blocks.begin(), blocks.end());
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> max_magnitudes_in(const kernel::Candidate& candidate, std::span<const std::int64_t> compared)
{
  constexpr std::int64_t k_least_top = 15; // four bits
  const std::set<std::int64_t> all = literals_from(k_least_top, candidate, compared);
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> ratios_in(const kernel::Candidate& candidate)
{
  const auto plan = candidate.files.find("launch.toml");
  std::set<std::int64_t> ratios{1};
  if (plan != candidate.files.end()) {
    ratios.merge(LiteralReader(plan->second, 2, k_least_extent - 1).read());
  }
  return {ratios.begin(), ratios.end()};
}

} // namespace hone::inputs
