// The shapes of a function's arrays, from how it subscripts them. (internal to the room)
#pragma once

#include "import/import.h"
#include "import/interpreter.h"

#include <map>
#include <string>
#include <vector>

namespace hone::import {

struct ShapeDecision {
  std::vector<Question> questions;                // what could not be decided
  std::map<std::string, kernel::ExprPtr> assumed; // sizes that have to stand for others: survey again with these
  std::vector<kernel::ExprPtr> conditions;        // conditions on sizes that the shapes need
  std::map<std::string, kernel::ExprPtr> indexed; // integer arrays whose elements subscript, and what they stay below
  std::vector<std::string> notes;                 // what was taken for granted
};

// Sets the shape of every argument. `given`: extents as the user wrote them, per array.
ShapeDecision decide_shapes(Survey& survey, const std::map<std::string, std::vector<std::string>>& given);

// The subscripts of an access in the array's shape: those written, or those that a flat one stands for.
// `facts`: what holds at the access.
std::vector<kernel::ExprPtr> subscripts_for(const ForeignArray& array, const std::vector<kernel::ExprPtr>& written,
                                            const Facts& facts,
                                            const std::map<std::string, kernel::IndexRange>& ranges);

// The largest (or least) value that an expression takes over all its indices; null where that is not known.
kernel::ExprPtr extreme_of(const kernel::ExprPtr& expression, const std::map<std::string, kernel::IndexRange>& ranges,
                           bool largest);

} // namespace hone::import
