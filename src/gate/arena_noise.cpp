#include "gate/arena_noise.h"

#include "util/random.h"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>

namespace hone {
namespace {

// Lanes of xorshift128+: weak as statistics, but all that poison needs is to be unpredictable without the key.
using Lanes = std::uint64_t __attribute__((vector_size(64)));

struct Noise {
  Lanes a, b;

  explicit Noise(std::uint64_t key)
  {
    Random random(key);
    for (int i = 0; i < 8; ++i) {
      a[i] = random.next();
      b[i] = random.next() | 1;
    }
  }
};

[[gnu::always_inline]] inline void step(Noise& noise, Lanes& value)
{
  Lanes x = noise.a;
  const Lanes y = noise.b;
  noise.a = y;
  x ^= x << 23;
  noise.b = x ^ y ^ (x >> 18) ^ (y >> 5);
  value = noise.b + y;
}

[[gnu::always_inline]] inline std::size_t stream_lines(std::byte* to, std::size_t lines, Noise& noise)
{
  for (std::size_t line = 0; line < lines; ++line, to += sizeof(Lanes)) {
    Lanes value;
    step(noise, value);
    __m128i parts[4];
    std::memcpy(parts, &value, sizeof value);
    for (int i = 0; i < 4; ++i) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, parts[i]);
    }
  }
  return lines * sizeof(Lanes);
}

// The same loop for wider registers: eight 64-bit lanes are one AVX-512 register, two of AVX2, four of SSE2.
__attribute__((target("avx512f"))) std::size_t stream_avx512(std::byte* to, std::size_t lines, Noise& noise)
{
  return stream_lines(to, lines, noise);
}

__attribute__((target("avx2"))) std::size_t stream_avx2(std::byte* to, std::size_t lines, Noise& noise)
{
  return stream_lines(to, lines, noise);
}

std::size_t stream_baseline(std::byte* to, std::size_t lines, Noise& noise)
{
  return stream_lines(to, lines, noise);
}

std::size_t stream_with_best(std::byte* to, std::size_t lines, Noise& noise)
{
  if (__builtin_cpu_supports("avx512f")) {
    return stream_avx512(to, lines, noise);
  }
  return __builtin_cpu_supports("avx2") ? stream_avx2(to, lines, noise) : stream_baseline(to, lines, noise);
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

void stream_noise(std::span<std::byte> bytes, std::uint64_t key)
{
  Noise noise(key);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(Lanes);
  const std::size_t head = std::min(misplaced == 0 ? 0 : sizeof(Lanes) - misplaced, bytes.size());
  Lanes edge;
  step(noise, edge);
  std::memcpy(bytes.data(), &edge, head);
  const std::size_t lines = (bytes.size() - head) / sizeof(Lanes);
  const std::size_t done = head + stream_with_best(bytes.data() + head, lines, noise);
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
  for (std::size_t i = band.size(); i-- > 0;) {
    if (band[i] != canary_byte(key, i)) {
      return i;
    }
  }
  return band.size();
}

} // namespace hone
