// The files and commands from which a candidate is compiled, for timing and for the watch.
#pragma once

#include "backend/backend.h"

namespace hone::backend::cpu {

// Its own files, the headers that it may include, and the prototypes that its launches require.
Result<std::map<std::string, std::string>> candidate_files(const BuildInput& input);

// -DNAME=VALUE for tuning parameters, and for sizes that are fixed.
std::vector<std::string> macros_of(const BuildInput& input);

// For the timed code: from the candidate to preprocessed text, which is checked; from that text, not from the candidate
// again, to assembly, since directives can ask which files exist; and to an object.
std::vector<std::string> preprocess_command(const BuildInput& input, const char* text);
std::vector<std::string> compile_command(const char* text, const char* assembly);
// The same code with the lines of its source.
std::vector<std::string> lined_compile_command(const char* text, const char* assembly);
std::vector<std::string> assemble_command(const char* assembly, const char* object);

} // namespace hone::backend::cpu
