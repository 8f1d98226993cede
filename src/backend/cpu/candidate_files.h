// What a candidate is compiled from, whatever for.
#pragma once

#include "backend/backend.h"

namespace hone::cpu {

// Its own files, those that it may include, and the prototypes that its launches ask for.
Result<std::map<std::string, std::string>> candidate_files(const BuildInput& input);

// -DNAME=VALUE for tuning parameters, and for sizes that are fixed.
std::vector<std::string> macros_of(const BuildInput& input);

// For the code that is timed: from the candidate to text without directives, which is looked at, from that very text to
// assembly, as directives may ask which files are there, and on to an object.
std::vector<std::string> preprocess_command(const BuildInput& input, const char* text);
std::vector<std::string> compile_command(const char* text, const char* assembly);
std::vector<std::string> assemble_command(const char* assembly, const char* object);

} // namespace hone::cpu
