// Element types of tensors and of values inside expressions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace hone::kernel {

enum class DataType { f64, f32, f16, bf16, i64, i32, i16, i8, u32, u16, u8, boolean };

inline constexpr std::array<std::string_view, 12> k_type_names{"f64", "f32", "f16", "bf16", "i64", "i32",
                                                               "i16", "i8",  "u32", "u16",  "u8",  "bool"}; // in order
std::string_view name_of(DataType type); // "f32"; boolean is "bool"
std::optional<DataType> data_type_from(std::string_view name);
std::size_t size_of(DataType type); // bytes per element
bool is_float(DataType type);
bool is_unsigned(DataType type); // u32, u16, u8
// Unit roundoff u: half the distance from 1 to the next number (f32: 2^-24). Integers: 0.
double unit_roundoff(DataType type);
// Largest finite value and smallest normal value of a float type; for integers the largest value and 1.
double largest_value(DataType type);
double lowest_value(DataType type); // the same at the other end
double smallest_normal(DataType type);

} // namespace hone::kernel
