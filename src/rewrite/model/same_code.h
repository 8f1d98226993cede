// Whether two candidates differ in comments and blanks only. (internal to the engine room)
#pragma once

#include "kernel/kernel.h"

#include <string>
#include <string_view>

namespace hone::rewrite {

// Without comments; blanks and line ends become one blank each.
std::string bare_code(std::string_view text, std::string_view file);

bool is_same_code(const kernel::Candidate& a, const kernel::Candidate& b);

} // namespace hone::rewrite
