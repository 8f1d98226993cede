// Which sizes and values a kernel is called with. The same seed gives the same bytes.
//
// Values come in families, and a family is a table of named rows ("large/around-a-middle"): which types it is for, how
// often it is drawn, which fault of a candidate it finds, and the function that makes the numbers. docs/values.md lists
// all rows; it is generated from the tables.
//
// Public too: "inputs/catalogue.h", all rows of values and sizes, by name; "inputs/input_draw.h", seeds for the calls
// of one validation; "inputs/stress_inputs.h", the families that say most about the timed sizes; "inputs/sizes.h",
// hidden sizes; "inputs/size_rows.h", the kinds of hidden sizes; "inputs/corners.h", sizes at which several symbols are
// long; "inputs/literal_sizes.h", sizes derived from a candidate's own numbers; "inputs/guard_thresholds.h", sizes at
// which a launch plan's conditions change; "inputs/elements.h", tensor elements as numbers; "inputs/bilinear_form.h",
// kernels whose inputs may be rescaled; "inputs/order.h", arguments in rising order.
#pragma once

#include "kernel/kernel.h"
#include "util/streaming.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hone::inputs {

// What each family holds: docs/values.md.
enum class ValueFamily {
  normal,
  uniform,
  tiny,
  large,
  shifted,
  heavy_tail,
  small_integers,
  whole,
  one_hot,
  cancellation,
  subnormals,
  signed_zeros,
  extreme,
  odd_suffix,
  spikes,
  framed,
  peaks,
  far_off,
  sparse,
  quadrants,
  patches,
  masked,
  late,
  own_rows,
  any_size,
  first_row,
  rounded,
  trends,
  rectified,
  brim,
  balanced,
  reordered,
  nearly,
  mixed,
};

std::span<const ValueFamily> all_value_families(); // `normal` first
std::string_view name_of(ValueFamily family);

struct ValueRow;

// Inputs of one call: everything that is needed to make the same bytes again.
struct InputSet {
  ValueFamily family = ValueFamily::normal;
  std::uint64_t seed = 0;        // picks a row of the family for each tensor, and the row's parameters
  std::int64_t top = 0;          // of whole numbers, where it is not the seed that says how large they are
  const ValueRow* row = nullptr; // for every tensor whose type the row is for, in place of the one that the seed picks

  bool operator==(const InputSet&) const = default;
};

// Fills one argument's elements. `position`: in Kernel::arguments, so that arguments differ. `last_extent`: of the
// argument's last axis (1 for a scalar). Values stay in the argument's domain and in its order.
void fill_argument(std::span<std::byte> bytes, const kernel::Argument& argument, std::size_t position,
                   std::int64_t last_extent, const InputSet& inputs, Store store = Store::cached);

// Fills the argument at `position` in Kernel::arguments at these sizes. An error: its shape or domain has no value
// there.
Result<void> fill_input(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::span<std::byte> bytes,
                        std::size_t position, const InputSet& inputs, Store store = Store::cached);

// The rows that the kernel's inputs get at these sizes, each once: "large/around-zero + large/range-of-each-row".
std::string row_names(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const InputSet& inputs);

// Kernels of integers alone lose nothing to rounding.
bool has_float_inputs(const kernel::Kernel& kernel);

// After a call its inputs still say what its outputs must be: no argument is both.
bool keeps_its_inputs(const kernel::Kernel& kernel);

} // namespace hone::inputs
