// Whether a candidate's code may include the headers of intrinsics, which take the compiler longer than all the rest.
#pragma once

#include <string_view>

namespace hone::cpu {

// True unless everything that the text includes is known not to; true, too, where words are not easily read.
bool may_include_intrinsics(std::string_view text);

} // namespace hone::cpu
