// What an argument held before: whether ordered statements read it, or leave some of it. (internal to the room)
//
// The program is walked through on small sizes, element by element, without computing values.
#pragma once

#include "import/interpreter.h"

#include <set>
#include <string>

namespace hone::import {

// Of the arguments that the statements write: those of which some element is read, or left, before it is written. All
// of them where subscripts or bounds depend on data.
std::set<std::string> kept_arguments(const Semantics& semantics, const std::map<std::string, ForeignArray>& arrays);

} // namespace hone::import
