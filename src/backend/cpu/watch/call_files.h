// What hone-cpu-inspector is given to run a call (inspector/inspection_job.h), whatever it is to do with it. (internal)
#pragma once

#include "backend/inspector.h"

#include <map>
#include <string>
#include <vector>

namespace hone::backend::cpu {

std::string inspector_program();
std::string missing_inspector(); // empty where the program is here; else what to do
// The program, and the libraries that it is linked with where the system need not have them.
std::vector<std::string> readable_to_run_inspector();

// An object to a library that the program can load.
std::vector<std::string> watched_link_command(const char* object, const char* library);

// The libraries that were built, and the call: its launches and its buffers.
std::map<std::string, std::string> call_files(const InspectionInput& input);

} // namespace hone::backend::cpu
