// The tables that values are drawn from: families, their rows, and how a seed picks a row. (internal)
#pragma once

#include "inputs/inputs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hone::inputs {

struct Stream;

// A set of element types. Integers with a finite domain, such as indices, are a type of their own here.
using Types = unsigned;
constexpr Types bit_of(kernel::DataType type)
{
  return 1U << static_cast<unsigned>(type);
}
constexpr Types k_f64 = bit_of(kernel::DataType::f64), k_f32 = bit_of(kernel::DataType::f32),
                k_f16 = bit_of(kernel::DataType::f16), k_bf16 = bit_of(kernel::DataType::bf16),
                k_i8 = bit_of(kernel::DataType::i8), k_bool = bit_of(kernel::DataType::boolean);
constexpr Types k_wide = k_f64 | k_f32, k_half = k_f16 | k_bf16, k_floats = k_wide | k_half;
// Integers that are easily read with the wrong sign, or in too few bits.
constexpr Types k_misread =
  bit_of(kernel::DataType::i16) | bit_of(kernel::DataType::u16) | bit_of(kernel::DataType::u32);
constexpr Types k_integers = k_i8 | k_bool | k_misread | bit_of(kernel::DataType::i64) | bit_of(kernel::DataType::i32)
                             | bit_of(kernel::DataType::u8);
constexpr Types k_numbers = k_floats | k_integers;
constexpr Types k_indices = 1U << 12;

Types types_of(const kernel::Argument& argument); // one of them

// Of so many calls of a family's round so many get the row.
struct Share {
  Types types = 0;
  unsigned calls = 0;
};

// Whether the row that the seed picks is for all tensors of a call, or every tensor picks its own.
enum class PickedFor { call, tensor };

// Random numbers that a generator begins with.
enum class BaseDistribution { normal, uniform };

// Makes elements from `first` on out of the base's numbers, which there is room for whole lanes of.
struct Generator {
  void (*f32)(Stream& stream, float* values, std::size_t count, std::int64_t first) = nullptr;
  void (*f64)(Stream& stream, double* values, std::size_t count, std::int64_t first) = nullptr; // for other types, too
};

// `function`: a lambda without captures that takes values of either type.
template <class F> constexpr Generator makes(F /*function*/)
{
  return {
    [](Stream& stream, float* values, std::size_t count, std::int64_t first) { F{}(stream, values, count, first); },
    [](Stream& stream, double* values, std::size_t count, std::int64_t first) { F{}(stream, values, count, first); }};
}

// An index's whole domain.
struct IndexDomain {
  double low = 0, high = 0;

  double count() const { return high - low + 1; }
  double at(double share) const; // share: from 0 to 1
};

// Makes indices from `first` on out of shares that are spread evenly from 0 up to 1.
using IndexGenerator = void (*)(Stream& stream, const IndexDomain& range, double* shares, std::size_t count,
                                std::int64_t first);

struct ValueRow {
  std::string_view name; // "large/around-a-middle"
  std::array<Share, 3> shares;
  PickedFor picked_for = PickedFor::tensor;
  std::string_view values; // what the numbers are
  std::string_view reason; // which fault of a candidate they find
  BaseDistribution base = BaseDistribution::normal;
  Generator generator; // none: the base's numbers as they are
  IndexGenerator indices = nullptr;
  void (*begin)(Stream& stream) = nullptr; // before the first element: may choose another family for the tensor
  // For rows without shares: when they are drawn. Such a row is for `apart_for`.
  std::string_view drawn_apart = {};
  Types apart_for = 0;

  unsigned share_for(Types type) const;
  Types types() const;
};

struct FamilyRows {
  ValueFamily family;
  std::string_view name;
  unsigned round;                 // calls, in which every row comes up as often as its share says, for every type
  std::span<const ValueRow> rows; // those that are picked for a whole call first
  bool rows_repeat = false;       // in one call of two a tensor's rows may be the one before
};

std::span<const FamilyRows> value_table(); // in the order of all_value_families()
const FamilyRows& rows_of(ValueFamily family);

// The row of one tensor, and how many calls had it before: consecutive rounds count on.
struct PickedRow {
  const ValueRow* row = nullptr;
  std::uint64_t occurrence = 0;
};
PickedRow pick_row(const InputSet& inputs, Types type, std::size_t position);

// One table per group of related families: values/*.cpp.
std::span<const ValueRow> normal_rows();
std::span<const ValueRow> uniform_rows();
std::span<const ValueRow> tiny_rows();
std::span<const ValueRow> large_rows();
std::span<const ValueRow> shifted_rows();
std::span<const ValueRow> heavy_tail_rows();
std::span<const ValueRow> small_integers_rows();
std::span<const ValueRow> rounded_rows();
std::span<const ValueRow> whole_rows();
std::span<const ValueRow> one_hot_rows();
std::span<const ValueRow> spikes_rows();
std::span<const ValueRow> framed_rows();
std::span<const ValueRow> peaks_rows();
std::span<const ValueRow> odd_suffix_rows();
std::span<const ValueRow> late_rows();
std::span<const ValueRow> sparse_rows();
std::span<const ValueRow> signed_zeros_rows();
std::span<const ValueRow> cancellation_rows();
std::span<const ValueRow> subnormals_rows();
std::span<const ValueRow> extreme_rows();
std::span<const ValueRow> far_off_rows();
std::span<const ValueRow> masked_rows();
std::span<const ValueRow> brim_rows();
std::span<const ValueRow> own_rows_rows();
std::span<const ValueRow> any_size_rows();
std::span<const ValueRow> first_row_rows();
std::span<const ValueRow> quadrants_rows();
std::span<const ValueRow> patches_rows();
std::span<const ValueRow> trends_rows();
std::span<const ValueRow> rectified_rows();
std::span<const ValueRow> balanced_rows();
std::span<const ValueRow> reordered_rows();
std::span<const ValueRow> nearly_rows();
std::span<const ValueRow> mixed_rows();

} // namespace hone::inputs
