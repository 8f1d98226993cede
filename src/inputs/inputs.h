// Which sizes and values a kernel is called with. Values come in families that wrong candidates fail on, and in a fast
// one for timed calls. The same seed gives the same bytes.
//
// Public too: "inputs/input_draw.h", seeds for the calls of one validation; "inputs/stress_inputs.h", the families that
// say most about the timed sizes; "inputs/sizes.h", hidden sizes; "inputs/corners.h", sizes at which several symbols
// are long; "inputs/literal_sizes.h", sizes derived from a candidate's own numbers; "inputs/guard_thresholds.h", sizes
// at which a launch plan's conditions change; "inputs/elements.h", tensor elements as numbers;
// "inputs/bilinear_form.h", kernels whose inputs may be rescaled.
#pragma once

#include "kernel/kernel.h"
#include "util/streaming.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hone {

// Integers with a finite domain, such as indices, are spread evenly over it, or: all low (tiny), all high (large),
// sorted (shifted), crowded at the low end (heavy tail), all the same (one-hot, far off), the two ends in turn
// (cancellation), the same at the end only (odd suffix), the same, mostly low, but for one (spikes), all low but for a
// few (sparse), each one more than the last but
// for a few, or for neighbours that changed places (rounded).
enum class ValueFamily {
  normal,         // about N(0, 1), a few up to 7
  uniform,        // [0, 1)
  tiny,           // normal, times a power of two that the seed draws: down to where squares are still normal numbers
  large,          // normal x 64, around 0 or a middle that the seed draws; or each row evenly between two of its own
  shifted,        // normal + 5
  heavy_tail,     // normal / uniform
  small_integers, // -1, 0, 1, 2: sums of products are exact in any order; or rows that read the same from either end
  whole,          // large whole numbers of one sign
  one_hot,        // one 1 per row of the last axis, moving on by a few columns or by as many as a vector has
  cancellation,   // large pairs of opposite sign
  subnormals,     // below the type's smallest normal value; or between that and values whose squares are normal; every
                  // other time zeros among them
  signed_zeros,   // +0 and -0 with a few normals
  extreme,        // large finite, products still far from overflow; or all near the lowest number (f32), or an end (i8)
  odd_suffix,     // normal, amplified where a check of a prefix does not look
  spikes,         // normal, with one element (of each row, or of all) that outweighs the others together
  framed,         // outliers at a row's ends and middle, among its first elements or at its quarters; the others plain,
                  // or alike
  peaks,          // around 0, but one element of each row whose exponential is as much as all others', or as those of
                  // many
  far_off,        // large, all of one sign and close to each other; or nearly 1, more and less in turn
  sparse,         // zeros of either sign, or nearly one number, but for one element in 32
  quadrants,      // normal, two opposite quarters of every matrix a million times smaller
  patches,        // some rows in turn a million times smaller; or zeros up to a row's middle, but for one; or zeros but
                  // for a few rectangles
  masked,         // normal, a part of the elements far below all others
  late,           // small but for the last few elements
  own_rows,       // every row with a middle of its own, of any size
  any_size,       // every row, column or element, of one of 48 powers of two, anywhere up to where squares overflow
  first_row,      // normal, the first row far larger or smaller than the others
  rounded,        // normal, in steps of 1/32: a few are equal
  trends,         // along every axis a ramp or a step between two levels: neighbours are alike, their sums run away
  rectified,      // normal, all of one sign of which the other became 0; or positive, against negative vectors
  brim,           // of one size, a little below where their exponential overflows; or rows near 0, others where it is
                  // nothing
  balanced,       // small numbers of which sums are exactly 0, or as large as their count, but for whoever looks closer
  reordered,      // small integers, each row those of the one before in other places, or with equal sums of parts
  nearly,         // a structure (a band, a triangle, symmetry, repetition, order, a mask) that holds nearly everywhere
  mixed,          // each tensor of a family and a scale of its own; or all of one shape the same but for some rows; or
                  // rows far below in one tensor and as much larger in the next; or columns in one, rows in others
};

std::span<const ValueFamily> all_value_families(); // `normal` first
std::string_view name_of(ValueFamily family);

// Fills one argument's elements. `position`: in Kernel::arguments, so that arguments differ. `last_extent`: of the
// argument's last axis (1 for a scalar). Values stay in the argument's domain. `top`: of whole numbers in f32 and f64,
// which lie between half of it and it; 0: the seed says how large they are.
void fill_argument(std::span<std::byte> bytes, const Argument& argument, std::size_t position, std::int64_t last_extent,
                   ValueFamily family, std::uint64_t seed, Store store = Store::cached, std::int64_t top = 0);

// Inputs of one call: everything that is needed to make the same bytes again.
struct InputSet {
  ValueFamily family = ValueFamily::normal;
  std::uint64_t seed = 0;
  std::int64_t top = 0; // of whole numbers, where it is not the seed that says how large they are
};

// Fills the argument at `position` in Kernel::arguments at these sizes. An error: its shape or domain has no value
// there.
Result<void> fill_input(const Kernel& kernel, const Sizes& sizes, std::span<std::byte> bytes, std::size_t position,
                        const InputSet& inputs, Store store = Store::cached);

// Kernels of integers alone lose nothing to rounding.
bool has_float_inputs(const Kernel& kernel);

// After a call its inputs still say what its outputs must be: no argument is both.
bool keeps_its_inputs(const Kernel& kernel);

} // namespace hone
