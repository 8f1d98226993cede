#include "gate/arena_noise.h"

#include "util/random.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <emmintrin.h>

namespace hone::gate {
namespace {

// Sessions of xorshift128+: weak as statistics, but all that poison needs is to be unpredictable without the key.
constexpr std::size_t k_line_words = 8;
using Line = std::array<std::uint64_t, k_line_words>; // of a cache

struct Noise {
  Line a, b;

  explicit Noise(std::uint64_t key)
  {
    Random random(key);
    for (std::size_t i = 0; i < k_line_words; ++i) {
      a[i] = random.next();
      b[i] = random.next() | 1;
    }
  }
};

// Plain loops: vector types would be split up for the least CPU before this is inlined where wider registers are.
[[gnu::always_inline]] inline void step(Noise& noise, Line& value)
{
  for (std::size_t i = 0; i < k_line_words; ++i) {
    std::uint64_t x = noise.a[i];
    const std::uint64_t y = noise.b[i];
    x ^= x << 23;
    noise.a[i] = y;
    noise.b[i] = x ^ y ^ (x >> 18) ^ (y >> 5);
    value[i] = noise.b[i] + y;
  }
}

template <Store store> [[gnu::always_inline]] inline void write_lines(std::byte* to, std::size_t lines, Noise& noise)
{
  Noise own = noise; // `to` may point anywhere
  for (std::size_t line = 0; line < lines; ++line, to += sizeof(Line)) {
    Line value;
    step(own, value);
    if constexpr (store == Store::cached) {
      std::memcpy(to, &value, sizeof value);
    } else {
      __m128i parts[4];
      std::memcpy(parts, &value, sizeof value);
      for (int i = 0; i < 4; ++i) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, parts[i]);
      }
    }
  }
  noise = own;
}

// The same loop for wider registers: eight 64-bit sessions are one AVX-512 register, two of AVX2, four of SSE2.
template <Store store>
__attribute__((target("avx512f"))) void write_avx512(std::byte* to, std::size_t lines, Noise& noise)
{
  write_lines<store>(to, lines, noise);
}

template <Store store> __attribute__((target("avx2"))) void write_avx2(std::byte* to, std::size_t lines, Noise& noise)
{
  write_lines<store>(to, lines, noise);
}

template <Store store> void write_with_best(std::byte* to, std::size_t lines, Noise& noise)
{
  if (__builtin_cpu_supports("avx512f")) {
    write_avx512<store>(to, lines, noise);
  } else if (__builtin_cpu_supports("avx2")) {
    write_avx2<store>(to, lines, noise);
  } else {
    write_lines<store>(to, lines, noise);
  }
}

std::uint64_t canary_word(std::uint64_t key, std::size_t index)
{
  std::uint64_t value = key + (index + 1) * 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93u;
  return value ^ (value >> 32);
}

std::byte canary_byte(std::uint64_t key, std::size_t index)
{
  return static_cast<std::byte>(canary_word(key, index / 8) >> (index % 8 * 8));
}

bool word_is_whole(std::span<const std::byte> band, std::uint64_t key, std::size_t word)
{
  std::uint64_t found = 0;
  std::memcpy(&found, band.data() + word * 8, 8);
  return found == canary_word(key, word);
}

} // namespace

void write_noise(std::span<std::byte> bytes, std::uint64_t key, Store store)
{
  Noise noise(key);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(Line);
  const std::size_t head = std::min(misplaced == 0 ? 0 : sizeof(Line) - misplaced, bytes.size());
  Line edge;
  step(noise, edge);
  std::memcpy(bytes.data(), &edge, head);
  const std::size_t lines = (bytes.size() - head) / sizeof(Line);
  const std::size_t done = head + lines * sizeof(Line);
  if (store == Store::streaming) {
    write_with_best<Store::streaming>(bytes.data() + head, lines, noise);
  } else {
    write_with_best<Store::cached>(bytes.data() + head, lines, noise);
  }
  step(noise, edge);
  std::memcpy(bytes.data() + done, &edge, bytes.size() - done);
  _mm_sfence();
}

void write_canary(std::span<std::byte> band, std::uint64_t key)
{
  const std::size_t words = band.size() / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = canary_word(key, i);
    std::memcpy(band.data() + i * 8, &word, 8);
  }
  for (std::size_t i = words * 8; i < band.size(); ++i) {
    band[i] = canary_byte(key, i);
  }
}

std::size_t first_damage(std::span<const std::byte> band, std::uint64_t key)
{
  const std::size_t words = band.size() / 8;
  std::size_t word = 0;
  while (word < words && word_is_whole(band, key, word)) {
    ++word;
  }
  std::size_t i = word * 8;
  while (i < band.size() && band[i] == canary_byte(key, i)) {
    ++i;
  }
  return i;
}

std::size_t last_damage(std::span<const std::byte> band, std::uint64_t key)
{
  std::size_t end = band.size();
  while (end % 8 != 0 && band[end - 1] == canary_byte(key, end - 1)) {
    --end;
  }
  while (end % 8 == 0 && end > 0 && word_is_whole(band, key, end / 8 - 1)) {
    end -= 8;
  }
  while (end > 0 && band[end - 1] == canary_byte(key, end - 1)) {
    --end;
  }
  return end > 0 ? end - 1 : band.size();
}

} // namespace hone::gate
