// The files of cpu/include, and cpu/support compiled, embedded when Hone is built: a compile job needs no path of ours.
#pragma once

#include <map>
#include <string>

namespace hone::backend::cpu {

// By file name.
const std::map<std::string, std::string>& embedded_files();

} // namespace hone::backend::cpu
