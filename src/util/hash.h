// SHA-256, the only hash that names things in Hone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hone {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
std::string sha256(std::span<const std::byte> bytes);

} // namespace hone
