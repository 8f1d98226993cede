// What is done to the sums of a contraction once they are finished, as vector code. (internal to the room)
#pragma once

#include "lower/contraction_view.h"
#include "lower/expression_text.h"
#include "lower/lanes.h"

#include <functional>
#include <string>

namespace hone::lower {

// Names of the nest that the code uses. The sum's columns begin at `column`.
struct EpilogueNames {
  std::string sum;
  std::string column;
  std::string count;                                         // of the columns that are there, "" for all lanes
  std::function<std::string(const std::string& name)> fresh; // a name that nothing in the function has
};

// The finished value of a vector of sums; the loads it needs go to `before`. `scalar` prints positions, and what is the
// same in all columns; its indices are the nest's.
Result<std::string> vector_epilogue(const kernel::Kernel& kernel, const ContractionView& view, kernel::DataType compute,
                                    ExpressionText scalar, const EpilogueNames& names, ProgramBlock& before);

// True when code calls what is in hone_math.h, or in hone_lanes.h, which that brings along.
bool calls_vector_math(const std::string& code);

} // namespace hone::lower
