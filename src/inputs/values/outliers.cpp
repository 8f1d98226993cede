// Families in which few elements decide: spikes, peaks, outliers, ones among zeros.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace hone::inputs {
namespace {

// An odd stride visits the columns like a permutation, a power of two the same lane of vectors.
template <class T>
void one_hot(const Stream& stream, T* values, std::size_t count, std::int64_t first, std::int64_t columns)
{
  constexpr std::array<std::uint64_t, 6> k_strides{7, 7, 7, 8, 32, 64};
  const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(stream.row - columns, 0));
  const std::uint64_t among = static_cast<std::uint64_t>(stream.row) - begin;
  const std::uint64_t stride = k_strides[stream.turns().of(k_strides.size())];
  const std::uint64_t start = stream.own().below(among);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const auto row = static_cast<std::uint64_t>(index / stream.row);
    const std::uint64_t hot = begin + (row * stride + start) % among;
    values[i] = static_cast<std::uint64_t>(index % stream.row) == hot ? T(1) : T(0);
  }
}

// Whoever computes a sum from a part of its terms misses the spike or counts it several times. One chain of additions
// does not: its rounding errors grow with the sum, which about doubles.
template <class T>
void spikes(const Stream& stream, T* values, std::size_t count, std::int64_t first, std::int64_t span)
{
  const T height = std::sqrt(static_cast<T>(span)) + T(1);
  const std::uint64_t start = stream.own().below(static_cast<std::uint64_t>(span));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const auto row = static_cast<std::uint64_t>(index / span);
    if (static_cast<std::uint64_t>(index % span) == (start + row * 7919) % static_cast<std::uint64_t>(span)) {
      values[i] = values[i] < T(0) ? -height : height;
    }
  }
}

// The places that a look at a few elements of a row would take.
enum class Look { ends_and_middle, first_three, quarters };

std::vector<std::int64_t> places_of(Look look, std::int64_t row)
{
  switch (look) {
  case Look::ends_and_middle:
    return {0, row / 2, row - 1};
  case Look::first_three:
    return {0, 1, 2};
  case Look::quarters:
    break;
  }
  return {0, row / 4, row / 2, 3 * row / 4};
}

double drawn_height(const Stream& stream, Random& own)
{
  return std::ldexp(1.0, 6 + static_cast<int>(own.below(stream.type == kernel::DataType::f16 ? 4 : 10)));
}

// All but one of the places hold outliers.
template <class T> void outliers(const Stream& stream, T* values, std::size_t count, std::int64_t first, Look look)
{
  std::vector<std::int64_t> places = places_of(look, stream.row);
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(stream.turns().of(places.size())));
  Random own = stream.own();
  const T height = static_cast<T>(drawn_height(stream, own));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    values[i] += std::ranges::find(places, column) != places.end() ? height : T(0);
  }
}

// The others are alike, these places are not.
template <class T>
void alike_elsewhere(const Stream& stream, T* values, std::size_t count, std::int64_t first, Look look)
{
  const std::vector<std::int64_t> places = places_of(look, stream.row);
  Random own = stream.own();
  const T height = static_cast<T>(drawn_height(stream, own));
  const T spread = std::ldexp(height, -static_cast<int>(own.below(6)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    const bool looked_at = std::ranges::find(places, column) != places.end();
    values[i] = height + values[i] * (looked_at ? spread : height * T(0x1p-10));
  }
}

// The exponential of one element is as much as those of the others together, or far more: up to where they are nearly
// nothing, in long rows up to where each of the others is still a few units in the peak's last place, or one. These
// differ: were they alike, a chain of additions that begins with the peak would round all of them the same way.
template <class T> T peak_height(const Stream& stream)
{
  constexpr std::int64_t k_long_row = 64;
  const T many = std::log(static_cast<T>(stream.row) + T(1));
  const T drawn = many * (T(1) + static_cast<T>(stream.own().uniform()) * T(8.0 / 3));
  const T most = stream.turns().one_in(2) ? T(14.5) : T(15.6);
  return stream.row > k_long_row ? std::min(drawn, std::max(many, most)) : drawn;
}

template <class T> void peaks(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool shared)
{
  const T height = peak_height<T>(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool peak = index % stream.row == peak_of_row(stream, shared, index / stream.row, stream.row);
    values[i] = values[i] * T(0.5) + (peak ? height : T(0));
  }
}

// Another element of the row is one unit of the last place below the peak.
template <class T> void twin_peaks(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool shared)
{
  if (stream.row == 1) {
    return peaks(stream, values, count, first, shared);
  }
  const T height = peak_height<T>(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row, column = index % stream.row;
    const std::int64_t peak = peak_of_row(stream, shared, row, stream.row);
    const T top = row % 2 == 0 ? height : std::nextafter(height, T(0)); // either of the last bits
    const auto distance = 1
                          + static_cast<std::int64_t>(scattered(stream.seed ^ static_cast<std::uint64_t>(row))
                                                      % static_cast<std::uint64_t>(stream.row - 1));
    values[i] = column == peak                             ? top
                : column == (peak + distance) % stream.row ? std::nextafter(top, T(0))
                                                           : values[i] * T(0.5);
  }
}

template <class T> void odd_suffix(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool late =
      index >= stream.elements - stream.elements / 8 || index % stream.row >= stream.row - stream.row / 8;
    values[i] *= late ? T(50) : T(1);
  }
}

// Whoever stops a few elements early has missed nearly all of a sum.
template <class T> void late(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr T k_small{0x1p-20}; // all of them together are less than the last bit of the others'
  const auto drawn = static_cast<std::int64_t>(1 + stream.own().below(64));
  const std::int64_t few = std::clamp<std::int64_t>(stream.elements / 8, 1, drawn);
  scale(values, elements_below(stream.elements - few, first, count), k_small);
}

constexpr double k_rare = 1.0 / 32;

// `units`: sums of some of them are nothing, too.
template <class T> void among_zeros(Stream& stream, T* values, std::size_t count, bool units)
{
  T choice[k_chunk];
  draw_choices(stream, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    const T alone = units ? std::copysign(T(1), values[i]) : values[i];
    values[i] = choice[i] < T(k_rare) ? alone : std::copysign(T(0), values[i]);
  }
}

template <class T> void among_one_number(Stream& stream, T* values, std::size_t count)
{
  constexpr T k_jitter{0x1p-8}; // equal terms would be allowed rounding errors of one sign
  Random own = stream.own();
  const T usual = static_cast<T>(own.below(15)) - T(7);
  const T other = usual + static_cast<T>(own.below(9)) + T(1);
  T choice[k_chunk];
  draw_choices(stream, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = (choice[i] < T(k_rare) ? other : usual) + k_jitter * values[i];
  }
}

// In every other row nothing is above the zeros, so that which of them comes first is all that tells them apart.
template <class T>
void signed_zeros(Stream& stream, T* values, std::size_t count, std::int64_t first, std::int64_t below)
{
  T choice[k_chunk];
  draw_choices(stream, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    if (choice[i] < T(0.75)) {
      values[i] = std::copysign(T(0), values[i]);
    } else if (row % 2 == below) {
      values[i] = -std::fabs(values[i]);
    }
  }
}

void all_the_same(Stream& stream, const IndexDomain& domain, double* shares, std::size_t count, std::int64_t /*first*/)
{
  std::fill_n(shares, count, domain.at(stream.own().uniform()));
}

void same_but_for_one(Stream& stream, const IndexDomain& domain, double* shares, std::size_t count, std::int64_t first)
{
  Random own = stream.own();
  const double drawn = own.uniform();
  const double low = domain.at(drawn * drawn * drawn * drawn);
  const auto alone = static_cast<std::int64_t>(own.below(static_cast<std::uint64_t>(stream.elements)));
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = first + static_cast<std::int64_t>(i) == alone ? domain.at(shares[i]) : low;
  }
}

void same_at_the_end(Stream& stream, const IndexDomain& domain, double* shares, std::size_t count, std::int64_t first)
{
  const double drawn = domain.at(stream.own().uniform());
  for (std::size_t i = 0; i < count; ++i) {
    const bool late = first + static_cast<std::int64_t>(i) >= stream.elements - stream.elements / 8;
    shares[i] = late ? drawn : domain.at(shares[i]);
  }
}

void low_but_for_a_few(Stream& /*stream*/, const IndexDomain& domain, double* shares, std::size_t count,
                       std::int64_t /*first*/)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = domain.at(shares[i] < k_rare ? shares[i] / k_rare : shares[i] / 64);
  }
}

void at_peaks(Stream& stream, const IndexDomain& domain, double* shares, std::size_t count, std::int64_t first)
{
  const auto extent = static_cast<std::int64_t>(std::clamp(domain.count(), 1.0, 0x1p53));
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] =
      domain.low + static_cast<double>(peak_of_row(stream, true, first + static_cast<std::int64_t>(i), extent));
  }
}

void not_at_peaks(Stream& /*stream*/, const IndexDomain& domain, double* shares, std::size_t count,
                  std::int64_t /*first*/)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = domain.at(shares[i]);
  }
}

constexpr std::int64_t k_whole_row = std::int64_t{1} << 62;
constexpr std::int64_t k_last_columns = 20; // where a row does not fill vectors

constexpr std::array k_one_hot_rows{
  ValueRow{.name = "one-hot/any-column",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "one 1 per row among zeros, in each row 7 columns further on, or 8, 32 or 64",
           .reason = "A column or a lane that is left out or taken twice.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             one_hot(stream, values, count, first, k_whole_row);
           })},
  ValueRow{.name = "one-hot/last-twenty-columns",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same among the last twenty columns",
           .reason = "The remainder of a row that does not fill a vector.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             one_hot(stream, values, count, first, k_last_columns);
           })},
  ValueRow{.name = "one-hot/indices-all-the-same",
           .shares = {{{k_indices, 2}}},
           .picked_for = PickedFor::call,
           .values = "all the same",
           .reason = "Collisions: all indices hit one row.",
           .indices = all_the_same},
};

constexpr std::array k_spikes_rows{
  ValueRow{.name = "spikes/one-in-each-row",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers, with one element of each row that outweighs the rest of the row",
           .reason = "Sums from a part of the terms, or that count some terms twice.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             spikes(stream, values, count, first, stream.row);
           })},
  ValueRow{.name = "spikes/one-in-all",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers, with one element that outweighs all others together",
           .reason = "Sums over whole tensors from a sample of the rows.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             spikes(stream, values, count, first, stream.elements);
           })},
  ValueRow{.name = "spikes/indices-the-same-but-for-one",
           .shares = {{{k_indices, 2}}},
           .values = "all the same, mostly low, but for one",
           .reason = "A look at some indices that is taken for all.",
           .indices = same_but_for_one},
};

constexpr std::array k_framed_rows{
  ValueRow{.name = "framed/ends-and-middle",
           .shares = {{{k_floats, 1}, {k_integers, 2}}},
           .values = "normal numbers, with outliers at two of a row's ends and middle",
           .reason = "A scale or a way that is chosen by these elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             outliers(stream, values, count, first, Look::ends_and_middle);
           })},
  ValueRow{.name = "framed/first-three",
           .shares = {{{k_floats, 1}, {k_integers, 2}}},
           .values = "the same at two of a row's first three elements",
           .reason = "A scale or a way that is chosen by the first elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             outliers(stream, values, count, first, Look::first_three);
           })},
  ValueRow{.name = "framed/quarters",
           .shares = {{{k_floats, 1}, {k_integers, 2}}},
           .values = "the same at three of the places where a row's quarters begin",
           .reason = "A scale or a way that is chosen by a coarse sample.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             outliers(stream, values, count, first, Look::quarters);
           })},
  ValueRow{.name = "framed/alike-but-ends-and-middle",
           .shares = {{{k_floats, 1}}},
           .values = "nearly one number, but at a row's ends and middle",
           .reason = "Rows that are taken for constant, or for not constant, after a look at these elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             alike_elsewhere(stream, values, count, first, Look::ends_and_middle);
           })},
  ValueRow{.name = "framed/alike-but-first-three",
           .shares = {{{k_floats, 1}}},
           .values = "nearly one number, but at a row's first three elements",
           .reason = "Rows that are judged by their first elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             alike_elsewhere(stream, values, count, first, Look::first_three);
           })},
  ValueRow{.name = "framed/alike-but-quarters",
           .shares = {{{k_floats, 1}}},
           .values = "nearly one number, but where a row's quarters begin",
           .reason = "Rows that are judged by a coarse sample.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             alike_elsewhere(stream, values, count, first, Look::quarters);
           })},
};

// Of one call's tensors, those of indices at the same places as those of numbers.
constexpr std::array k_peaks_rows{
  ValueRow{.name = "peaks/one-that-indices-name",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers divided by 2; one element of each row has an exponential as large as those of all "
                     "others, or far larger; in all tensors at the same places",
           .reason = "Exponentials in few bits; a term that is added to the wrong row.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { peaks(stream, values, count, first, true); })},
  ValueRow{.name = "peaks/twins-that-indices-name",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same, and another element of the row is the next smaller number",
           .reason = "Places of a maximum that are found in fewer bits.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             twin_peaks(stream, values, count, first, true);
           })},
  ValueRow{.name = "peaks/one-anywhere",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "one peak per row, in each tensor at other places",
           .reason = "Small terms that are dropped beside a large one.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { peaks(stream, values, count, first, false); })},
  ValueRow{.name = "peaks/twins-anywhere",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "two peaks per row that are neighbouring numbers, in each tensor at other places",
           .reason = "Ties that are broken by rounding.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             twin_peaks(stream, values, count, first, false);
           })},
  ValueRow{.name = "peaks/indices-at-peaks",
           .shares = {{{k_indices, 2}}},
           .picked_for = PickedFor::call,
           .values = "each row's index is the place of its peak",
           .reason = "The term of the chosen element, where it is nearly all of the sum.",
           .indices = at_peaks},
  ValueRow{.name = "peaks/indices-anywhere",
           .shares = {{{k_indices, 2}}},
           .picked_for = PickedFor::call,
           .values = "spread evenly",
           .reason = "The term of an element that is nearly nothing of the sum.",
           .indices = not_at_peaks},
};

constexpr std::array k_odd_suffix_rows{
  ValueRow{.name = "odd-suffix/last-eighth",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers, the last eighth of each row and of the whole times 50",
           .reason = "Checks of a prefix; tails that are left out.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { odd_suffix(stream, values, count, first); })},
  ValueRow{.name = "odd-suffix/indices-the-same-at-the-end",
           .shares = {{{k_indices, 1}}},
           .values = "spread evenly, the last eighth all the same",
           .reason = "Collisions that a look at the first indices does not show.",
           .indices = same_at_the_end},
};

constexpr std::array k_late_rows{
  ValueRow{.name = "late/last-few",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers times 2^-20, but for the last few",
           .reason = "Loops that stop a few elements early.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { late(stream, values, count, first); })},
};

constexpr std::array k_sparse_rows{
  ValueRow{.name = "sparse/normals-among-zeros",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros of either sign, but for one normal number in 32",
           .reason = "Blocks that are skipped because they look empty.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { among_zeros(stream, values, count, false); })},
  ValueRow{.name = "sparse/units-among-zeros",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros of either sign, but for one 1 or -1 in 32",
           .reason = "Blocks that are skipped because their sum is 0.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { among_zeros(stream, values, count, true); })},
  ValueRow{.name = "sparse/another-among-one-number",
           .shares = {{{k_numbers, 2}}},
           .values = "nearly one number from -7 to 7, but for a larger one in 32",
           .reason = "Blocks that are taken for constant.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { among_one_number(stream, values, count); })},
  ValueRow{.name = "sparse/indices-low-but-for-a-few",
           .shares = {{{k_indices, 4}}},
           .values = "in the lowest 64th, but for one in 32",
           .reason = "Tables of which only the beginning is kept at hand.",
           .indices = low_but_for_a_few},
};

constexpr std::array k_signed_zeros_rows{
  ValueRow{.name = "signed-zeros/odd-rows-not-above",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "zeros of both signs and a few normal numbers, in odd rows only negative ones",
           .reason = "Maxima that begin at 0 or at the first element; the first of equal elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             signed_zeros(stream, values, count, first, 1);
           })},
  ValueRow{.name = "signed-zeros/even-rows-not-above",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same, in even rows only negative ones",
           .reason = "The same faults, in the first row too.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             signed_zeros(stream, values, count, first, 0);
           })},
};

} // namespace

std::span<const ValueRow> one_hot_rows()
{
  return k_one_hot_rows;
}
std::span<const ValueRow> spikes_rows()
{
  return k_spikes_rows;
}
std::span<const ValueRow> framed_rows()
{
  return k_framed_rows;
}
std::span<const ValueRow> peaks_rows()
{
  return k_peaks_rows;
}
std::span<const ValueRow> odd_suffix_rows()
{
  return k_odd_suffix_rows;
}
std::span<const ValueRow> late_rows()
{
  return k_late_rows;
}
std::span<const ValueRow> sparse_rows()
{
  return k_sparse_rows;
}
std::span<const ValueRow> signed_zeros_rows()
{
  return k_signed_zeros_rows;
}

} // namespace hone::inputs
