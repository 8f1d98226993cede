// Elements computed side by side: launches for single statements whose neighbouring elements, or neighbouring terms of
// whose sums, go into the lanes of vectors, with tiles of rows and columns around them.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

Result<LoweredProgram> lower_elements(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

// What the form can do for a kernel.
struct ElementForms {
  bool columns = false;    // lanes along the last index of a target
  bool sums = false;       // lanes along a sum
  bool planes = false;     // lanes along the sums of a target of two indices or more
  bool one_index = false;  // lanes along a target of one index
  bool tiles = false;      // several rows or elements have something to share
  bool short_sums = false; // a sum's innermost range fills a few vectors at most, whatever the sizes are
  bool passes = false;     // several statements read the rows of one matrix
};
// An error where no statement has such a form, with the first reason.
Result<ElementForms> element_forms(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
