// Random numbers for the elements of one tensor, a chunk at a time. (internal)
#pragma once

#include "inputs/inputs.h"
#include "util/random.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

constexpr std::size_t k_lanes = 16;
constexpr std::size_t k_chunk = 1024; // elements made at a time: they stay in the first-level cache

// One step of xoshiro128+, of one generator's words or of vectors of them. By reference, as functions that are compiled
// for any processor cannot hand over vectors that only some have.
template <class T> [[gnu::always_inline]] inline void step_xoshiro(T& a, T& b, T& c, T& d, T& out)
{
  out = a + d;
  const T shifted = b << 9;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = (d << 11) | (d >> 21);
}

// Sixteen xoshiro128+ generators side by side, written so that the compiler vectorises the loops.
class LaneRandom {
public:
  using State = std::array<std::array<std::uint32_t, k_lanes>, 4>;

  explicit LaneRandom(std::uint64_t seed)
  {
    Random random(seed);
    for (auto& word : m_state) {
      for (std::uint32_t& lane : word) {
        lane = static_cast<std::uint32_t>(random.next() >> 32);
      }
    }
  }

  [[gnu::always_inline]] void next(std::uint32_t* out)
  {
    auto& [a, b, c, d] = m_state;
    for (std::size_t i = 0; i < k_lanes; ++i) {
      step_xoshiro(a[i], b[i], c[i], d[i], out[i]);
    }
  }

  // For whoever steps it on his own way.
  State& state() { return m_state; }

private:
  State m_state;
};

// What the elements of one argument are made from.
struct Stream {
  LaneRandom random;
  ValueFamily family;
  DataType type;
  std::size_t position;  // of the argument
  std::int64_t row;      // elements of the last axis
  std::int64_t elements; // of the whole tensor
  std::uint64_t seed;
  std::uint64_t set_seed; // of all tensors of a call
  double factor = 1;      // of all elements
  std::int64_t top = 0;   // of whole numbers; 0: the seeds say how large they are
};

// Uniform in [0, 1) with the type's full mantissa. `count`: a multiple of k_lanes, here and below.
template <class T> void draw_uniform(LaneRandom& random, T* out, std::size_t count);

// About N(0, 1): the same numbers whatever the CPU.
template <class T> void draw_normal(LaneRandom& random, T* out, std::size_t count);

// 32 random bits, the same for all elements of a row.
std::uint64_t drawn_for_row_of(const Stream& stream, std::int64_t index);

// Where a row of `extent` elements has its peak; in half of the calls at the same place in all tensors, so that indices
// that are as many as a matrix has rows say where its peaks are.
std::int64_t peak_of_row(const Stream& stream, std::int64_t row, std::int64_t extent);

// Numbers that have nothing in common for numbers that have much (splitmix64's last steps).
inline std::uint64_t scattered(std::uint64_t number)
{
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

} // namespace hone
