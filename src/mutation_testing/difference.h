// Two texts side by side, for people.
#pragma once

#include "kernel/candidate.h"

#include <string>
#include <string_view>

namespace hone::mutation_testing {

// The lines that differ, "-" for the first text's and "+" for the second's, each with its number; empty for equal
// texts.
std::string line_difference(std::string_view before, std::string_view after);

// The same for all files of the second candidate, a heading with the name above each that differs.
std::string difference_of(const kernel::Candidate& before, const kernel::Candidate& after);

} // namespace hone::mutation_testing
