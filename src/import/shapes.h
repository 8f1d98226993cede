// The shapes of a function's arrays, from how it subscripts them. (internal to the room)
#pragma once

#include "import/import.h"
#include "import/interpreter.h"

#include <map>
#include <string>
#include <vector>

namespace hone {

struct ShapeDecision {
  std::vector<Question> questions;        // what could not be decided
  std::map<std::string, ExprPtr> assumed; // sizes that have to stand for others: survey again with these
  std::vector<std::string> notes;         // what was taken for granted
};

// Sets the shape of every argument. `given`: extents as the user wrote them, per array.
ShapeDecision decide_shapes(Survey& survey, const std::map<std::string, std::vector<std::string>>& given);

// The subscripts of an access in the array's shape: those written, or those that a flat one stands for.
std::vector<ExprPtr> subscripts_for(const ForeignArray& array, const std::vector<ExprPtr>& written);

// The largest (or least) value that an expression takes over all its indices; null where that is not known.
ExprPtr extreme_of(const ExprPtr& expression, const std::map<std::string, IndexRange>& ranges, bool largest);

} // namespace hone
