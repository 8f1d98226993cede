// Text that came from a compiler or a runner, made safe to print and to put into JSON. (internal to the gate)
#pragma once

#include <string>
#include <string_view>

namespace hone::gate {

// Keeps well-formed UTF-8, line feeds and tabs; everything else becomes '?'.
std::string printable_utf8(std::string_view text);

} // namespace hone::gate
