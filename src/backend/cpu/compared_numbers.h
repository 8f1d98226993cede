// Numbers that compiled code compares with: however its source writes them (octal, as a letter, as a template's
// argument, as a quotient of two others), here they stand as they are. (internal)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::cpu {

// Magnitudes of what immediate operands compare with, subtract, or put into a register to be compared later; each once,
// in order. Not what moves the stack pointer. `assembly`: as compilers write it.
std::vector<std::int64_t> compared_numbers(std::string_view assembly);

} // namespace hone::cpu
