#include "backend/access_counter.h"

#include "util/text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace hone::backend {
namespace {

constexpr std::int64_t k_largest_cache = std::int64_t{1} << 32; // bytes

bool read_size(std::string_view text, std::int64_t& value)
{
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && value > 0;
}

} // namespace

Result<CacheLevel> parse_cache_level(std::string_view text)
{
  CacheLevel level;
  const std::size_t equals = text.find('=');
  const std::vector<std::string> numbers =
    split(equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1), ',');
  if (numbers.size() != 3 || equals == 0 || !read_size(numbers[0], level.bytes) || !read_size(numbers[1], level.ways)
      || !read_size(numbers[2], level.line_bytes)) {
    return fail(fmt::format("\"{}\" is no cache", text),
                "write NAME=BYTES,WAYS,BYTES_OF_A_LINE, such as L1=49152,12,64");
  }
  level.name = text.substr(0, equals);
  HONE_CHECK(check_levels({level}));
  return level;
}

std::string to_text(const CacheLevel& level)
{
  return fmt::format("{}={},{},{}", level.name, level.bytes, level.ways, level.line_bytes);
}

Result<void> check_levels(const std::vector<CacheLevel>& levels)
{
  if (levels.empty()) {
    return fail("no cache is given", "give at least one, such as L1=49152,12,64");
  }
  for (const CacheLevel& level : levels) {
    const bool has_name = !level.name.empty() && level.name.find_first_of(" \n\t") == std::string::npos;
    if (!has_name || level.line_bytes < 8 || level.ways < 1 || level.bytes < 1 || level.bytes > k_largest_cache
        || !std::has_single_bit(static_cast<std::uint64_t>(level.line_bytes))
        || level.ways > level.bytes / level.line_bytes || level.bytes % (level.line_bytes * level.ways) != 0) {
      return fail(fmt::format("{} is no cache", to_text(level)),
                  "its bytes must be a multiple of ways x bytes of a line, and a line a power of two bytes");
    }
    if (level.line_bytes != levels.front().line_bytes) {
      return fail(fmt::format("{} and {} have lines of different lengths", to_text(levels.front()), to_text(level)),
                  "give all levels lines of the same length");
    }
  }
  return {};
}

} // namespace hone::backend
