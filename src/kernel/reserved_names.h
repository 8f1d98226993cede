// Words that cannot name an argument, a size or an intermediate.
#pragma once

#include <string_view>

namespace hone::kernel {

// True for the words of the languages that candidates are written in: generated code uses a kernel's own names.
bool is_reserved_word(std::string_view name);

} // namespace hone::kernel
