// Translates compiler and linker messages for the author of a candidate. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// Name of the prototypes in compile jobs; messages about this file become messages about launch.toml.
inline constexpr const char* k_prototypes_file = "hone_prototypes.h";

std::string translate_compile_log(std::string_view log);

} // namespace hone::backend::cpu
