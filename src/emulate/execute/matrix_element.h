// Types of the elements of matrices that warps multiply. (internal to the room)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::emulate::execute {

enum class MatrixElement : std::uint8_t { f16, bf16, tf32, f64, s8, u8, e4m3, e5m2, f32, s32 };

std::optional<MatrixElement> element_of(std::string_view name);
int bits_of(MatrixElement element);
// What so many bits stand for; not of f64.
double value_of(std::uint32_t bits, MatrixElement element);

} // namespace hone::emulate::execute
