// What the parts of the compiler of dot products share: the contraction's names, and what the operands are in the words
// of hone_dot.h. (internal to the room)
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

struct DotCode {
  ContractionCode code;
  bool bytes = false;    // groups of four bytes, summed in i32; else pairs of bf16, summed in f32
  bool a_signed = false; // of bytes
  bool shifted = false;  // one operand is used with its other signedness, and sums of the other make up for it
  bool flips_a = false;  // it is A, while it is read or packed; else B, while it is packed
  bool sums_aside =
    false; // sums wait in the group's memory between blocks: the output cannot hold them, or keeps old values
  bool packs_a = false;       // neighbours of A along the sum do not lie side by side
  bool joined_strips = false; // STRIPS strips of B are packed at once, and the panel is one of them
  std::string sums, partial;  // memory of the group: what makes up for it, by row or by column; sums that wait
  std::string strips;         // where packed strips lie, one behind the other: the panel, where it is but one

  static Result<DotCode> create(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

  int members() const { return bytes ? 4 : 2; } // of a group
  std::string i_block() const { return code.local(code.i + "_block"); }
  std::string columns() const { return "VECTORS * " + code.lanes; } // of a strip
  std::string joined_columns() const { return "STRIPS * VECTORS * " + code.lanes; }
};

// The sums of one tile over the current block of k; Lanes::part leaves out what is beyond the last column.
Result<ProgramBlock> lower_dot_tile(const DotCode& dots, Lanes lanes);

} // namespace hone::lower
