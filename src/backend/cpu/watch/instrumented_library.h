// Whether a library that was compiled to be watched can be. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::cpu {

// Whether it is the watch, or what every library is linked with, that has something of this name.
bool is_of_watched_libraries(std::string_view symbol);

// "" or why not: it defines functions by which accesses are told, or calls others that touch memory unseen.
std::string why_unwatchable(const char* library);

} // namespace hone::cpu
