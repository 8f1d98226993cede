// What several forms say in the same words. (internal to the room)
#pragma once

#include <string>

namespace hone::lower {

inline const std::string k_leave_out = "leave this step out, or write it by hand"; // a hint
inline const std::string k_unroll_registers = "GCC unroll 16";                     // a pragma: of arrays in registers

} // namespace hone::lower
