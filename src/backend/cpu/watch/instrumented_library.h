// Whether an instrumented library can be watched. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// Whether the symbol belongs to the watch, or to what is linked into every library.
bool is_watch_symbol(std::string_view symbol);

// "" or why not: it defines access hooks itself, or calls functions whose memory accesses are not instrumented.
std::string why_unwatchable(const char* library);

} // namespace hone::backend::cpu
