// The values that arguments take, as far as their use tells. (internal to the room)
#pragma once

#include "import/import.h"
#include "import/interpreter.h"

#include <map>
#include <string>

namespace hone::import {

// Of every integer scalar, of floating-point arguments that are converted to integers, and of integer arrays that
// subscript (`indexed`, with what they stay below): the ends of the range from which its values are drawn, as
// kernel.toml has them.
std::map<std::string, ForeignDomain> domains_from_use(const CFunction& function, const Semantics& semantics,
                                                      const Survey& survey,
                                                      const std::map<std::string, kernel::ExprPtr>& indexed);

} // namespace hone::import
