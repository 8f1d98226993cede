// Whole numbers whose sums leave what is mistaken for their type.
#include "inputs/value_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hone::inputs {
namespace {

constexpr int k_byte_bits = 7, k_nearly_32_bits = 30;

// Of one sign, from half of a power of two to twice that. Those between are left out: their squares end in few ways,
// which a chain of additions rounds to one side.
template <class T> void of_bits(int bits, T* values, std::size_t count)
{
  const T size = std::ldexp(T(1), bits);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::floor(size * (T(0.5) + T(1.5) * values[i]));
  }
}

// Of a long tensor of f32 so few bits that a sum of products along all of it is hardly beyond 32; else 0.
int bits_where_long(const Stream& stream)
{
  constexpr int k_long = 14, k_sum = 34;
  const auto longest = static_cast<std::uint64_t>(std::max(stream.row, stream.rows()));
  const int length = static_cast<int>(std::bit_width(longest)) - 1;
  return stream.type == kernel::DataType::f32 && length >= k_long ? std::max(1, (k_sum - length) / 2) : 0;
}

// Sums are beyond 24 bits, or 32.
int drawn_bits(const Stream& stream, Turns& turns)
{
  constexpr int k_steps = 6;
  const int most = stream.type == kernel::DataType::f64 ? 40 : stream.type == kernel::DataType::f32 ? 22 : k_steps - 1;
  return most - static_cast<int>(turns.of(k_steps));
}

template <class T> void beyond_24_bits(const Stream& stream, T* values, std::size_t count)
{
  Turns turns = stream.turns();
  const int few = bits_where_long(stream);
  of_bits(few > 0 ? few : drawn_bits(stream, turns), values, count);
}

template <class T> void nearly_32_bits(const Stream& stream, T* values, std::size_t count)
{
  const int few = bits_where_long(stream);
  of_bits(few > 0 ? few : k_nearly_32_bits, values, count);
}

// All nearly as large as the largest, so that a sum of many, or of their products, lies between 2^31 and 2^32, or
// above, and so does what whoever knows the largest takes for its bound. Where sums are short: of some bits.
template <class T> void sums_leave_32_bits(const Stream& stream, T* values, std::size_t count, bool of_products)
{
  constexpr std::int64_t k_many = 200;
  Turns shared = stream.shared_turns();
  const T bound = shared.one_in(2) ? T(0x1.8p31) : T(0x1.8p32); // above which there is no 32nd bit, or 33rd
  const bool along_rows = shared.one_in(2) || stream.position == 0;
  const std::int64_t terms = along_rows ? stream.row : stream.rows();
  if (terms < k_many) {
    return shared.one_in(3) ? nearly_32_bits(stream, values, count) : beyond_24_bits(stream, values, count);
  }
  const T each = bound / static_cast<T>(terms);
  const T largest = std::floor(of_products ? std::sqrt(each) : each);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::floor(largest * (T(0.85) + T(0.15) * values[i]));
  }
}

template <class T> void any_byte(const Stream& stream, T* values, std::size_t count)
{
  const T lowest = stream.position % 2 == 0 ? T(0) : T(-128);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = lowest + std::floor(T(256) * values[i]);
  }
}

// From half of the top on, or near it. Nobody says what the top is where the row is forced.
template <class T> void up_to_the_top(const Stream& stream, T* values, std::size_t count)
{
  constexpr std::int64_t k_any_top = 255;
  const auto top = static_cast<T>(stream.top > 0 ? stream.top : k_any_top);
  const T least = stream.shared_turns().one_in(2) ? T(0.94) : T(0.5);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::floor(top * (least + (T(1) - least) * values[i]));
  }
}

constexpr std::array k_whole_rows{
  ValueRow{.name = "whole-numbers/from-64-to-255",
           .shares = {{{k_wide, 3}, {k_bf16, 6}}},
           .picked_for = PickedFor::call,
           .values = "from 64 to 255",
           .reason = "Floats that are packed into bytes without a look at all of them; sums of bytes in 16 bits.",
           .base = BaseDistribution::uniform,
           .generator = makes([](auto&, auto* values, auto count, auto) { of_bits(k_byte_bits, values, count); })},
  ValueRow{.name = "whole-numbers/any-byte",
           .shares = {{{k_wide, 3}, {k_bf16, 6}}},
           .picked_for = PickedFor::call,
           .values = "from 0 to 255, and from -128 to 127 in every other tensor",
           .reason = "Floats that are packed into bytes with the wrong sign, as quantised weights are.",
           .base = BaseDistribution::uniform,
           .generator = makes([](auto& stream, auto* values, auto count, auto) { any_byte(stream, values, count); })},
  ValueRow{
    .name = "whole-numbers/sums-leave-32-bits",
    .shares = {{{k_f32, 6}}},
    .picked_for = PickedFor::call,
    .values = "alike, and so large that a sum along a row just leaves 31 bits or 32; of some bits where sums have "
              "less than 200 terms",
    .reason = "Floats that are summed as 32-bit integers.",
    .base = BaseDistribution::uniform,
    .generator =
      makes([](auto& stream, auto* values, auto count, auto) { sums_leave_32_bits(stream, values, count, false); })},
  ValueRow{.name = "whole-numbers/sums-of-products-leave-32-bits",
           .shares = {{{k_f32, 6}}},
           .picked_for = PickedFor::call,
           .values = "the same for sums of products",
           .reason = "Products of floats that are summed as 32-bit integers.",
           .base = BaseDistribution::uniform,
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto) { sums_leave_32_bits(stream, values, count, true); })},
  ValueRow{.name = "whole-numbers/nearly-32-bits",
           .shares = {{{k_f32, 2}, {k_f64, 6}}},
           .picked_for = PickedFor::call,
           .values = "about 2^30; in long tensors of f32 fewer bits, so that sums of products just leave 32",
           .reason = "Sums of a dozen products in 64 bits, where each value fits 32.",
           .base = BaseDistribution::uniform,
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { nearly_32_bits(stream, values, count); })},
  ValueRow{.name = "whole-numbers/beyond-24-bits",
           .shares = {{{k_f32, 4}, {k_f64 | k_bf16, 12}, {k_f16 | k_integers, 24}}},
           .picked_for = PickedFor::call,
           .values = "of one sign and of 17 to 22 bits (f64: 35 to 40; narrow types: up to 5), in turn",
           .reason = "Sums that lose their last bits in a narrower accumulator.",
           .base = BaseDistribution::uniform,
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { beyond_24_bits(stream, values, count); })},
  ValueRow{.name = "whole-numbers/up-to-a-top",
           .values = "from half of a number of the candidate's on, or near it",
           .reason = "A fast way for small values, guarded by a number that lets too much through.",
           .base = BaseDistribution::uniform,
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { up_to_the_top(stream, values, count); }),
           .drawn_apart = "in two calls of three, where the candidate's files name numbers from 15 to 2^25 or its code "
                          "compares with them",
           .apart_for = k_wide},
};

} // namespace

std::span<const ValueRow> whole_rows()
{
  return k_whole_rows;
}

} // namespace hone::inputs
