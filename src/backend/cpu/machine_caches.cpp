#include "backend/cpu/machine_caches.h"

#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::backend::cpu {
namespace {

constexpr int k_most_caches = 8;

// "512K", "32M"
std::int64_t size_from(std::string_view text)
{
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc()) {
    return 0;
  }
  const bool has_unit = end != text.data() + text.size();
  return !has_unit ? value : *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value;
}

} // namespace

std::vector<CacheLevel> machine_caches()
{
  std::vector<CacheLevel> caches;
  for (int index = 0; index < k_most_caches; ++index) {
    const fs::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    const auto level = read_file(folder / "level");
    const auto type = read_file(folder / "type");
    const auto size = read_file(folder / "size");
    if (!level || !type || !size || trim(*type) == "Instruction") {
      continue;
    }
    const auto number = [&](const char* name) {
      const auto text = read_file(folder / name);
      return text ? size_from(trim(*text)) : 0;
    };
    CacheLevel& cache = caches.emplace_back();
    cache.name = fmt::format("L{}", trim(*level));
    cache.bytes = size_from(trim(*size));
    cache.line_bytes = number("coherency_line_size");
    cache.ways = number("ways_of_associativity");
  }
  std::ranges::sort(caches, {}, &CacheLevel::name);
  return caches;
}

} // namespace hone::backend::cpu
