// Which matrices have to be well conditioned, told from how loops that are run in order use their diagonals. (internal
// to the room)
#pragma once

#include "import/interpreter.h"

#include <map>
#include <string>

namespace hone::import {

// Array -> its form in kernel.toml: "dominant" where its diagonal divides, "positive definite" where a square root is
// taken of it. Without one, random values would make an elimination lose all its digits.
std::map<std::string, std::string> matrix_forms_of(const Semantics& semantics, const Survey& survey);

} // namespace hone::import
