// Constants that compiled code compares with. The source may write them in many ways (octal, as a character, as a
// template argument, as a quotient); in assembly they are plain numbers. (internal)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::backend::cpu {

// Absolute values of immediate operands that are compared, subtracted, or moved to a register for a later comparison;
// each once, ascending. Not those that move the stack pointer. `assembly`: as compilers write it.
std::vector<std::int64_t> compared_numbers(std::string_view assembly);

} // namespace hone::backend::cpu
