// Tensors of one call that belong together although they differ.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

// Same values in all tensors, times what tells them apart.
template <class T, class Differs> void twins(const Stream& stream, T* values, std::size_t count, Differs differs)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= differs(static_cast<std::int64_t>(i)) ? static_cast<T>(stream.position + 1) : T(1);
  }
}

template <class T> void twins_but_for_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  twins(stream, values, count, [&](std::int64_t i) { return drawn_for_row_of(stream, first + i) % 8 == 0; });
}

template <class T> void twins_but_in_the_middle(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t rows = stream.rows(), third = rows / 3;
  twins(stream, values, count, [&](std::int64_t i) {
    const std::int64_t row = (first + i) / stream.row;
    return row >= third && row < rows - third;
  });
}

void begin_as_twin(Stream& stream)
{
  stream.random = LaneRandom(stream.set_seed);
  stream.seed = stream.set_seed;
}

// An exponential of the first makes of both about as much as of the others.
template <class T> void traded(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::array k_runs{1, 8, 32, 64};
  Turns turns = stream.shared_turns();
  const std::uint64_t role = (turns.of(3) + stream.position) % 3;
  const std::int64_t run = k_runs[turns.of(k_runs.size())];
  const int steps = static_cast<int>(turns.of(4));
  const T depth = std::ldexp(T(1), (stream.type == kernel::DataType::f16 ? 0 : 3) + steps); // up to 64, of f16 up to 8
  const T height = std::exp(depth);
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::uint64_t>((first + static_cast<std::int64_t>(i)) / stream.row / run);
    const bool marked = scattered(block ^ stream.set_seed << 8) % 4 == 0;
    values[i] = !marked ? values[i] : role == 1 ? values[i] - depth : role == 2 ? values[i] * height : values[i];
  }
}

// In a product the later columns of the first tensor count as much as all others.
template <class T> void seesaw(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const int most = stream.type == kernel::DataType::f16 ? 6 : 48;
  const int bits = 1 + static_cast<int>(stream.shared().below(static_cast<std::uint64_t>(most)));
  const T factor = std::ldexp(T(1), stream.position == 0 ? -bits : bits);
  const std::int64_t middle = stream.rows() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool later = stream.position == 0 ? index % stream.row >= stream.row / 2 : index / stream.row >= middle;
    values[i] *= later ? factor : T(1);
  }
}

// The least of the rows outweighs, multiplied by what is nearly nothing elsewhere, all others.
template <class T> void rows_of_all_sizes(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool narrow = stream.type == kernel::DataType::f16 || !kernel::is_float(stream.type);
  const int span = narrow ? 4 : stream.type == kernel::DataType::f64 ? 220 : 24; // f64: beyond what a float holds
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    values[i] = std::ldexp(values[i], static_cast<int>(drawn % static_cast<std::uint64_t>(2 * span + 1)) - span);
  }
}

// From now on the tensor is one of another family.
void go_on_as(Stream& stream, ValueFamily family)
{
  stream.family = family;
  stream.picked = pick_row({family, stream.seed}, stream.type_bit, 0);
}

void begin_far_apart(Stream& stream)
{
  const bool factor = stream.position < 2;
  go_on_as(stream, factor ? ValueFamily::normal : ValueFamily::sparse);
  stream.factor = !factor ? 1 : stream.type == kernel::DataType::f16 ? 2 : 8;
}

void begin_as_a_part(Stream& stream); // below: knows the table

constexpr std::array k_mixed_rows{
  ValueRow{.name = "mixed/twins-but-for-some-rows",
           .shares = {{{k_numbers | k_indices, 1}}},
           .picked_for = PickedFor::call,
           .values = "tensors of one shape the same, but for one row in eight",
           .reason = "Tensors that are taken for each other after a look at some rows.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             twins_but_for_rows(stream, values, count, first);
           }),
           .begin = begin_as_twin},
  ValueRow{.name = "mixed/twins-but-in-the-middle",
           .shares = {{{k_numbers | k_indices, 1}}},
           .picked_for = PickedFor::call,
           .values = "tensors of one shape the same, but for the middle third of their rows",
           .reason = "Tensors that are taken for each other because their ends are the same.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             twins_but_in_the_middle(stream, values, count, first);
           }),
           .begin = begin_as_twin},
  ValueRow{.name = "mixed/traded",
           .shares = {{{k_floats, 2}}},
           .picked_for = PickedFor::call,
           .values =
             "some rows far below in one tensor and, times the exponential of that depth, as much larger in the next",
           .reason = "Terms that are dropped because their weight is nearly nothing.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { traded(stream, values, count, first); })},
  ValueRow{.name = "mixed/seesaw",
           .shares = {{{k_floats, 2}}},
           .picked_for = PickedFor::call,
           .values =
             "the later columns of the first tensor as much smaller as the later rows of the others are larger, by "
             "up to 2^48",
           .reason = "Scales and thresholds for each tensor alone.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { seesaw(stream, values, count, first); })},
  ValueRow{.name = "mixed/far-apart",
           .shares = {{{k_floats, 1}}},
           .picked_for = PickedFor::call,
           .values = "the first two tensors eight times as large, the others zeros but for one in 32",
           .reason = "What an exponential leaves of lesser products: in some places it is all there is.",
           .begin = begin_far_apart},
  ValueRow{.name = "mixed/each-of-its-own-kind",
           .shares = {{{k_floats, 1}, {k_integers | k_indices, 6}}},
           .picked_for = PickedFor::call,
           .values = "each tensor plain or, every other time, of another family, times 1 to 16",
           .reason = "Ways that are chosen by one tensor and are wrong for another.",
           .begin = begin_as_a_part},
  ValueRow{.name = "mixed/rows-of-all-sizes",
           .values = "normal numbers, each row times a power of two of its own, up to 2^24 (f64: 2^220)",
           .reason = "Rows that are left out because they are small.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             rows_of_all_sizes(stream, values, count, first);
           }),
           .drawn_apart = "for one tensor in twelve of mixed/each-of-its-own-kind",
           .apart_for = k_numbers | k_indices},
};

constexpr const ValueRow& k_rows_of_all_sizes = k_mixed_rows.back();

// Half of the time plain values, so that the others decide.
void begin_as_a_part(Stream& stream)
{
  constexpr std::array k_parts{ValueFamily::mixed,     ValueFamily::mixed,  ValueFamily::trends,
                               ValueFamily::shifted,   ValueFamily::tiny,   ValueFamily::heavy_tail,
                               ValueFamily::one_hot,   ValueFamily::sparse, ValueFamily::cancellation,
                               ValueFamily::quadrants, ValueFamily::late,   ValueFamily::uniform};
  Random own = stream.own();
  const ValueFamily family = own.below(2) == 0 ? ValueFamily::normal : k_parts[own.below(k_parts.size())];
  if (family == ValueFamily::mixed) {
    stream.picked.row = &k_rows_of_all_sizes;
  } else {
    go_on_as(stream, family);
  }
  constexpr std::uint64_t k_factors = 5; // 1 to 16
  stream.factor = std::ldexp(1.0, static_cast<int>(own.below(stream.type == kernel::DataType::f16 ? 2 : k_factors)));
}

} // namespace

std::span<const ValueRow> mixed_rows()
{
  return k_mixed_rows;
}

} // namespace hone::inputs
