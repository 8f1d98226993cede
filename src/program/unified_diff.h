// The difference of two texts as `patch` reads it. (internal to the room)
#pragma once

#include <string>
#include <string_view>

namespace hone::program {

// Lines that begin and end both texts alike are context; what lies between is compared line by line. "" where the texts
// are equal.
std::string unified_diff(const std::string& old_name, std::string_view old_text, const std::string& new_name,
                         std::string_view new_text);

} // namespace hone::program
