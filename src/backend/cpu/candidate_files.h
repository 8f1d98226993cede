// What a candidate is compiled from, whatever for.
#pragma once

#include "backend/backend.h"

namespace hone::cpu {

// Its own files, those that it may include, and the prototypes that its launches ask for.
Result<std::map<std::string, std::string>> candidate_files(const BuildInput& input);

// -DNAME=VALUE for tuning parameters, and for sizes that are fixed.
std::vector<std::string> macros_of(const BuildInput& input);

// The compiler's words for the code that is timed; `as`: -c, or -S for its text.
std::vector<std::string> compile_command(const BuildInput& input, const char* as, const char* output);

} // namespace hone::cpu
