// Tensor maps of the emulated device: 128 bytes that say where a tensor lies and which boxes of it copies take.
// CUtensorMap's bytes are NVIDIA's secret, so these are the emulator's own; arguments are checked as
// cuTensorMapEncodeTiled checks them. (public)
#pragma once

#include "util/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hone::emulate {

// Numbered as CUtensorMapDataType.
enum class TensorType : std::uint8_t { u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz };
enum class TensorSwizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };
enum class TensorFill : std::uint8_t { zero, nan }; // of what lies outside of the tensor

constexpr std::size_t k_tensor_map_bytes = 128, k_tensor_map_alignment = 64, k_most_tensor_dimensions = 5;
using TensorMapBytes = std::array<std::byte, k_tensor_map_bytes>;

// Dimensions go from the innermost one on, whose elements lie side by side.
struct TensorMap {
  TensorType type = TensorType::f32;
  int rank = 1;
  std::uint64_t address = 0;
  std::array<std::uint64_t, 5> sizes{1, 1, 1, 1, 1}; // in elements
  std::array<std::uint64_t, 4> strides{};            // in bytes, of the dimensions behind the first
  std::array<std::uint32_t, 5> box{1, 1, 1, 1, 1};   // in elements
  std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zero;

  std::size_t element_bytes() const;
  std::uint32_t box_elements(int dimension) const; // that a copy takes: every element_strides-th of the box
  std::size_t box_bytes() const;
};

Result<TensorMapBytes> encode(const TensorMap& map); // the error says which argument is wrong
TensorMapBytes encode_unchecked(const TensorMap& map);
std::optional<TensorMap> decode(std::span<const std::byte, k_tensor_map_bytes> bytes); // nullopt: not a tensor map
Result<void> check(const TensorMap& map);

} // namespace hone::emulate
