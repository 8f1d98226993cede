// Compiler and linker messages as a candidate's author should read them. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::cpu {

// The wrapper's name in compile jobs; messages about it become messages about launch.toml.
inline constexpr const char* k_prototypes_file = "hone_prototypes.h";

std::string translate_compile_log(std::string_view log);

} // namespace hone::cpu
