#include "util/streaming.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace hone {

void copy_streaming(std::span<std::byte> to, std::span<const std::byte> from)
{
#if defined(__SSE2__)
  std::byte* target = to.data();
  const std::byte* source = from.data();
  std::size_t left = from.size();
  const auto misaligned = reinterpret_cast<std::uintptr_t>(target) & 15;
  const std::size_t head = std::min(left, misaligned == 0 ? 0 : 16 - misaligned);
  std::memcpy(target, source, head);
  target += head;
  source += head;
  left -= head;
  for (; left >= 16; left -= 16, target += 16, source += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source)));
  }
  std::memcpy(target, source, left);
  _mm_sfence();
#else
  std::memcpy(to.data(), from.data(), from.size());
#endif
}

#if defined(__SSE2__)
namespace {

constexpr std::size_t k_line = 64; // of a cache

bool has_clflushopt()
{
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

// Lines leave side by side; with clflush each waits for the one before it.
__attribute__((target("clflushopt"))) void drop_side_by_side(std::span<const std::byte> bytes)
{
  for (std::size_t offset = 0; offset < bytes.size(); offset += k_line) {
    _mm_clflushopt(const_cast<std::byte*>(bytes.data() + offset));
  }
}

void drop_one_by_one(std::span<const std::byte> bytes)
{
  for (std::size_t offset = 0; offset < bytes.size(); offset += k_line) {
    _mm_clflush(bytes.data() + offset);
  }
}

} // namespace

void drop_from_caches(std::span<const std::byte> bytes)
{
  static const bool side_by_side = has_clflushopt();
  if (side_by_side) {
    drop_side_by_side(bytes);
  } else {
    drop_one_by_one(bytes);
  }
  _mm_mfence();
}
#else
void drop_from_caches(std::span<const std::byte>) {}
#endif

} // namespace hone
