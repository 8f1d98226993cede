// Names of CUDA C++ and HIP that the built-in engine does not use and code written elsewhere does, as text for clang.
// (internal to the room)
#pragma once

#include <string_view>

namespace hone::backend {

// Behind the names that device_prelude() has; `language` as there.
std::string_view toolkit_names(std::string_view language);

} // namespace hone::backend
