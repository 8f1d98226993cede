// Random numbers for the elements of one tensor, a chunk at a time. (internal)
#pragma once

#include "inputs/value_row.h"
#include "util/random.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hone::inputs {

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

// Numbers that have nothing in common for numbers that have much (splitmix64's last steps).
inline std::uint64_t scattered(std::uint64_t number)
{
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
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
  // Loads and stores of vectors that cross a cache line made f64 three times as slow, wherever the stack happened to
  // lie.
  alignas(64) State m_state;
};

// Choices between a few that come in turn: as many calls of a row as there are combinations have each of them once.
class Turns {
public:
  explicit Turns(std::uint64_t occurrence) : m_left(occurrence) {}

  std::uint64_t of(std::uint64_t ways)
  {
    const std::uint64_t way = m_left % ways;
    m_left /= ways;
    return way;
  }
  bool one_in(std::uint64_t ways) { return of(ways) == 0; }

private:
  std::uint64_t m_left;
};

// What the elements of one argument are made from. Generators run once per chunk: each time they draw the same
// parameters from `own`, `shared` and the turns.
struct Stream {
  LaneRandom random;
  ValueFamily family;
  Types type_bit; // in Types
  kernel::DataType type;
  std::size_t position;  // of the argument
  std::int64_t row;      // elements of the last axis
  std::int64_t elements; // of the whole tensor
  std::uint64_t seed;
  std::uint64_t set_seed; // of all tensors of a call
  double factor = 1;      // of all elements
  std::int64_t top = 0;   // of whole numbers; 0: the seeds say how large they are
  PickedRow picked = {};

  std::int64_t rows() const { return std::max<std::int64_t>(elements / row, 1); }
  Random own() const { return Random(scattered(seed)); }        // parameters of this tensor
  Random shared() const { return Random(scattered(set_seed)); } // of all tensors of the call
  Turns turns() const;                                          // the same two, in turn
  Turns shared_turns() const { return Turns(picked.occurrence); }
};

// Uniform in [0, 1) with the type's full mantissa. `count`: a multiple of k_lanes, here and below.
template <class T> void draw_uniform(LaneRandom& random, T* out, std::size_t count);

// About N(0, 1): the same numbers whatever the CPU.
template <class T> void draw_normal(LaneRandom& random, T* out, std::size_t count);

// 32 random bits, the same for all elements of a row.
std::uint64_t drawn_for_row_of(const Stream& stream, std::int64_t index);

// From 0 to 1, the same for the same two numbers.
double share_of(std::uint64_t seed, std::uint64_t which);

// Where a row of `extent` elements has its peak. `shared`: at the same place in all tensors, so that indices that are
// as many as a matrix has rows say where its peaks are.
std::int64_t peak_of_row(const Stream& stream, bool shared, std::int64_t row, std::int64_t extent);

template <class T> void scale(T* values, std::size_t count, T factor)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= factor;
  }
}

// How many of a chunk's elements come before the one with the index `end`.
inline std::size_t elements_below(std::int64_t end, std::int64_t first, std::size_t count)
{
  return static_cast<std::size_t>(std::clamp<std::int64_t>(end - first, 0, static_cast<std::int64_t>(count)));
}

// Uniform numbers beside the base's, for as many lanes as the chunk fills.
template <class T> void draw_choices(Stream& stream, T* out, std::size_t count)
{
  draw_uniform(stream.random, out, (count + k_lanes - 1) / k_lanes * k_lanes);
}

// Small enough that products of three are far from overflow.
double extreme_magnitude(kernel::DataType type);

// Whether the type has powers of two enough to tell sizes apart: half precision and integers have not.
constexpr bool ranges_far(kernel::DataType type)
{
  return (bit_of(type) & (k_wide | k_bf16)) != 0;
}

} // namespace hone::inputs
