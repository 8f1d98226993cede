// Whether a library that was compiled to be watched can be. (internal)
#pragma once

#include <string>

namespace hone::cpu {

// "" or why not: it defines functions by which accesses are told, or calls others that touch memory unseen.
std::string why_unwatchable(const char* library);

} // namespace hone::cpu
