// The functions of hone_math.h in C. (internal to the room)
#pragma once

#include <string>
#include <string_view>

namespace hone::ship {

// Of a text in words that C has too: functions that come for f32v and for f64v, or for addresses of their elements, get
// the type into their name, and a macro with _Generic chooses between the two. The other paragraphs stay as they are.
std::string c_overloads(std::string_view text);

} // namespace hone::ship
