// Whether a candidate includes headers of intrinsics. They take longer to compile than everything else.
#pragma once

#include <string_view>

namespace hone::backend::cpu {

// False only if every included header is known not to include them, and all include directives are easy to read.
bool may_include_intrinsics(std::string_view text);

} // namespace hone::backend::cpu
