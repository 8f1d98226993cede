// What platforms whose compiler takes one text do with a candidate's files. (internal to the room)
#pragma once

#include "backend/backend.h"

#include <string>
#include <vector>

namespace hone::backend {

// Joins continued lines and takes comments out, as a compiler does before it looks for words. Literals are stepped
// over, or "//" inside one would hide the code behind it.
std::string visible_code(std::string text);
std::vector<std::string> words_of(const std::string& code);
// What only makes sense between files becomes empty lines: all text is one file.
std::string without_joints(const std::string& source);
// Tuning values and (where the kernel is specialised) sizes (HONE_SIZE_n).
std::string macros_of(const BuildInput& input);

} // namespace hone::backend
