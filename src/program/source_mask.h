// C and C++ text with all that is no code blanked out, so that words and braces can be looked for. (internal to the
// room)
#pragma once

#include <string>
#include <string_view>

namespace hone::program {

// As long as `text`, line by line: comments, and what stands in quotes, are blanks. The quotes themselves stay.
std::string without_comments(std::string_view text);
// The same, with preprocessor lines blanked too; each ends in ';', since no declaration reaches across one.
std::string code_only(std::string_view text);

} // namespace hone::program
