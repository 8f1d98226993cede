// Calls with a size of 0. As in BLAS there is nothing to do where the outputs have no elements; where a sum has no
// terms, it is 0. Tuned code was not validated there: plain loops of the expression do it. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

struct EmptyCalls {
  std::string code;       // of the groups' file: the plain loops; "" where there are none
  std::string prototypes; // for both files
  std::string test;       // static int NAME_has_zero(sizes); "" for a kernel without sizes
  std::string run;        // in the function: what is done then
};
Result<EmptyCalls> empty_calls(const ExportContext& names);

// "if (NAME_has_zero(m, n)) { ACTION }"; "" where no size may be 0.
std::string if_zero(const ExportContext& names, const std::string& action);

} // namespace hone::ship
