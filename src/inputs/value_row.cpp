#include "inputs/value_row.h"

#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

// The row that holds a place of the round, for one type.
struct PlacedRow {
  const ValueRow* row = nullptr;
  unsigned begin = 0; // of its places
};

PlacedRow row_at(const FamilyRows& family, Types type, unsigned place)
{
  unsigned begin = 0;
  for (const ValueRow& row : family.rows) {
    const unsigned share = row.share_for(type);
    if (place < begin + share) {
      return {&row, begin};
    }
    begin += share;
  }
  return {};
}

bool has_rows_for(const FamilyRows& family, Types type)
{
  return std::ranges::any_of(family.rows, [type](const ValueRow& row) { return row.share_for(type) > 0; });
}

// Of a row that is asked for but is not for this type: where other types have it, so that rows which belong together
// stay together.
unsigned first_place_of(const FamilyRows& family, const ValueRow& row)
{
  for (Types type = 1; type <= k_indices; type <<= 1) {
    for (unsigned place = 0; place < family.round && row.share_for(type) > 0; ++place) {
      if (row_at(family, type, place).row == &row) {
        return place;
      }
    }
  }
  return 0;
}

// In each round every tensor has every place once. Which places of two tensors meet differs from round to round.
unsigned turned(const FamilyRows& family, Types type, unsigned place, std::uint64_t round, std::size_t position)
{
  unsigned first = 0; // behind the rows of whole calls
  for (const ValueRow& row : family.rows) {
    first += row.picked_for == PickedFor::call ? row.share_for(type) : 0;
  }
  const unsigned places = family.round - first;
  const std::uint64_t turn = position == 0 ? 0 : scattered(round ^ static_cast<std::uint64_t>(position) << 56);
  return first + static_cast<unsigned>((place - first + turn % places) % places);
}

} // namespace

double IndexDomain::at(double share) const
{
  return std::min(low + std::floor(share * count()), high);
}

Types types_of(const kernel::Argument& argument)
{
  return !kernel::is_float(argument.type) && argument.domain.is_finite() ? k_indices : bit_of(argument.type);
}

unsigned ValueRow::share_for(Types type) const
{
  for (const Share& share : shares) {
    if ((share.types & type) != 0) {
      return share.calls;
    }
  }
  return 0;
}

Types ValueRow::types() const
{
  Types all = apart_for;
  for (const Share& share : shares) {
    all |= share.types;
  }
  return all;
}

std::span<const FamilyRows> value_table()
{
  static const std::array k_table{
    FamilyRows{ValueFamily::normal, "normal", 1, normal_rows()},
    FamilyRows{ValueFamily::uniform, "uniform", 1, uniform_rows()},
    FamilyRows{ValueFamily::tiny, "tiny", 4, tiny_rows(), true},
    FamilyRows{ValueFamily::large, "large", 12, large_rows(), true},
    FamilyRows{ValueFamily::shifted, "shifted", 8, shifted_rows(), true},
    FamilyRows{ValueFamily::heavy_tail, "heavy-tail", 1, heavy_tail_rows(), true},
    FamilyRows{ValueFamily::one_hot, "one-hot", 2, one_hot_rows()},
    FamilyRows{ValueFamily::small_integers, "small-integers", 4, small_integers_rows()},
    FamilyRows{ValueFamily::cancellation, "cancellation", 2, cancellation_rows(), true},
    FamilyRows{ValueFamily::subnormals, "subnormals", 4, subnormals_rows()},
    FamilyRows{ValueFamily::signed_zeros, "signed-zeros", 2, signed_zeros_rows()},
    FamilyRows{ValueFamily::extreme, "extreme", 12, extreme_rows()},
    FamilyRows{ValueFamily::odd_suffix, "odd-suffix", 1, odd_suffix_rows()},
    FamilyRows{ValueFamily::spikes, "spikes", 2, spikes_rows()},
    FamilyRows{ValueFamily::far_off, "far-off", 4, far_off_rows()},
    FamilyRows{ValueFamily::sparse, "sparse", 4, sparse_rows()},
    FamilyRows{ValueFamily::quadrants, "quadrants", 1, quadrants_rows()},
    FamilyRows{ValueFamily::masked, "masked", 2, masked_rows(), true},
    FamilyRows{ValueFamily::late, "late", 1, late_rows()},
    FamilyRows{ValueFamily::own_rows, "own-rows", 2, own_rows_rows(), true},
    FamilyRows{ValueFamily::first_row, "first-row", 1, first_row_rows()},
    FamilyRows{ValueFamily::rounded, "rounded", 2, rounded_rows(), true},
    FamilyRows{ValueFamily::trends, "trends", 10, trends_rows()},
    FamilyRows{ValueFamily::rectified, "rectified", 4, rectified_rows(), true},
    FamilyRows{ValueFamily::brim, "brim", 2, brim_rows()},
    FamilyRows{ValueFamily::framed, "framed", 6, framed_rows()},
    FamilyRows{ValueFamily::peaks, "peaks", 4, peaks_rows()},
    FamilyRows{ValueFamily::balanced, "balanced", 6, balanced_rows()},
    FamilyRows{ValueFamily::reordered, "reordered", 4, reordered_rows()},
    FamilyRows{ValueFamily::patches, "patches", 3, patches_rows()},
    FamilyRows{ValueFamily::whole, "whole-numbers", 24, whole_rows()},
    FamilyRows{ValueFamily::any_size, "any-size", 3, any_size_rows(), true},
    FamilyRows{ValueFamily::nearly, "nearly", 15, nearly_rows()},
    FamilyRows{ValueFamily::mixed, "mixed", 8, mixed_rows()},
  };
  return k_table;
}

const FamilyRows& rows_of(ValueFamily family)
{
  return *std::ranges::find(value_table(), family, &FamilyRows::family);
}

std::span<const ValueFamily> all_value_families()
{
  static const std::vector<ValueFamily> k_families = [] {
    std::vector<ValueFamily> families;
    std::ranges::transform(value_table(), std::back_inserter(families), &FamilyRows::family);
    return families;
  }();
  return k_families;
}

std::string_view name_of(ValueFamily family)
{
  return rows_of(family).name;
}

PickedRow pick_row(const InputSet& inputs, Types type, std::size_t position)
{
  const FamilyRows& asked = rows_of(inputs.family);
  const FamilyRows& family = has_rows_for(asked, type) ? asked : rows_of(ValueFamily::normal);
  if (inputs.row != nullptr && (inputs.row->types() & type) != 0) {
    return {inputs.row, inputs.seed};
  }
  if (inputs.top > 0) {
    const auto apart =
      std::ranges::find_if(family.rows, [type](const ValueRow& row) { return (row.apart_for & type) != 0; });
    if (apart != family.rows.end()) {
      return {&*apart, inputs.seed};
    }
  }
  const std::uint64_t round = inputs.seed / family.round;
  auto place = static_cast<unsigned>(inputs.seed % family.round);
  if (inputs.row != nullptr) {
    place = first_place_of(asked, *inputs.row) % family.round;
  }
  PlacedRow placed = row_at(family, type, place);
  if (placed.row->picked_for == PickedFor::tensor && inputs.row == nullptr) {
    place = turned(family, type, place, round, position);
    placed = row_at(family, type, place);
  }
  return {placed.row, round * placed.row->share_for(type) + (place - placed.begin)};
}

} // namespace hone::inputs
