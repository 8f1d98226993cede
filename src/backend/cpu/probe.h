// Properties of this processor and its compiler. (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <vector>

namespace hone::backend::cpu {

enum class Isa { x86_64, avx2, avx512 };

Isa best_isa(); // that both this processor and the dialect know
std::string_view name_of(Isa isa);
int vector_bytes(Isa isa);

inline constexpr const char* k_compiler = "/usr/bin/g++";
inline constexpr const char* k_linker = "/usr/bin/ld";
inline constexpr const char* k_math_library = "/usr/lib/x86_64-linux-musl/libc.a";

// The compiler's own library of arithmetic that the processor lacks (conversions of halves, ...); "" when not found.
const std::string& compiler_library();

// The flags of every kernel, start and candidates alike.
std::vector<std::string> compiler_flags();

Result<DeviceInfo> probe();

} // namespace hone::backend::cpu
