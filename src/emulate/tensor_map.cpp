#include "emulate/tensor_map.h"

#include <fmt/format.h>

#include <cstring>

namespace hone::emulate {

namespace {

constexpr std::uint32_t k_tensor_map_mark = 0x4d544548; // "HETM"
constexpr std::uint64_t k_most_size = std::uint64_t{1} << 32, k_most_stride = std::uint64_t{1} << 40;
constexpr std::uint32_t k_most_box = 256, k_most_element_stride = 8;
constexpr std::uint64_t k_map_unit = 16;

// As the bytes lie.
struct Encoded {
  std::uint32_t mark = k_tensor_map_mark;
  std::uint8_t type = 0, rank = 0, swizzle = 0, fill = 0;
  std::uint64_t address = 0;
  std::array<std::uint64_t, 4> strides{};
  std::array<std::uint32_t, 5> last{}; // sizes less 1
  std::array<std::uint16_t, 5> box{};
  std::array<std::uint16_t, 5> element_strides{};
  std::array<std::uint8_t, 40> rest{};
};
static_assert(sizeof(Encoded) == k_tensor_map_bytes);

std::size_t span_of(TensorSwizzle swizzle)
{
  return swizzle == TensorSwizzle::bytes_32 ? 32 : swizzle == TensorSwizzle::bytes_64 ? 64 : 128;
}

} // namespace

std::size_t TensorMap::element_bytes() const
{
  switch (type) {
  case TensorType::u8:
    return 1;
  case TensorType::u16:
  case TensorType::f16:
  case TensorType::bf16:
    return 2;
  case TensorType::u64:
  case TensorType::s64:
  case TensorType::f64:
    return 8;
  default:
    return 4;
  }
}

std::uint32_t TensorMap::box_elements(int dimension) const
{
  const auto at = static_cast<std::size_t>(dimension);
  return (box[at] + element_strides[at] - 1) / element_strides[at];
}

std::size_t TensorMap::box_bytes() const
{
  std::size_t out = element_bytes();
  for (int i = 0; i < rank; ++i) {
    out *= box_elements(i);
  }
  return out;
}

Result<void> check(const TensorMap& map)
{
  if (map.rank < 1 || map.rank > 5) {
    return fail(fmt::format("a tensor map of {} dimensions", map.rank));
  }
  if (map.address == 0 || map.address % k_map_unit != 0) {
    return fail(fmt::format("a tensor at {:#x}: no multiple of 16", map.address));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.rank); ++i) {
    if (map.sizes[i] == 0 || map.sizes[i] > k_most_size) {
      return fail(fmt::format("dimension {} of a tensor has {} elements", i, map.sizes[i]));
    }
    if (i > 0 && (map.strides[i - 1] % k_map_unit != 0 || map.strides[i - 1] >= k_most_stride)) {
      return fail(
        fmt::format("the stride of dimension {} is {} bytes: no multiple of 16 below 2^40", i, map.strides[i - 1]));
    }
    if (map.box[i] == 0 || map.box[i] > k_most_box) {
      return fail(
        fmt::format("a box has {} elements along dimension {}; 1 to {} are allowed", map.box[i], i, k_most_box));
    }
    if (map.element_strides[i] == 0 || map.element_strides[i] > k_most_element_stride) {
      return fail(fmt::format("every {}th element along dimension {}; 1 to {} are allowed", map.element_strides[i], i,
                              k_most_element_stride));
    }
  }
  const std::size_t inner = map.box_elements(0) * map.element_bytes();
  if (inner % k_map_unit != 0) {
    return fail(fmt::format("a box has {} bytes along its first dimension: no multiple of 16", inner));
  }
  if (map.swizzle != TensorSwizzle::none && inner > span_of(map.swizzle)) {
    return fail(
      fmt::format("a box has {} bytes along its first dimension; its swizzle spans {}", inner, span_of(map.swizzle)));
  }
  const bool is_float = map.type >= TensorType::f16;
  if (map.fill == TensorFill::nan && !is_float) {
    return fail("NaNs outside of a tensor of whole numbers");
  }
  return {};
}

TensorMapBytes encode_unchecked(const TensorMap& map)
{
  Encoded out;
  out.type = static_cast<std::uint8_t>(map.type);
  out.rank = static_cast<std::uint8_t>(map.rank);
  out.swizzle = static_cast<std::uint8_t>(map.swizzle);
  out.fill = static_cast<std::uint8_t>(map.fill);
  out.address = map.address;
  out.strides = map.strides;
  for (std::size_t i = 0; i < k_most_tensor_dimensions; ++i) {
    out.last[i] = static_cast<std::uint32_t>(map.sizes[i] - 1);
    out.box[i] = static_cast<std::uint16_t>(map.box[i]);
    out.element_strides[i] = static_cast<std::uint16_t>(map.element_strides[i]);
  }
  TensorMapBytes bytes{};
  std::memcpy(bytes.data(), &out, sizeof out);
  return bytes;
}

Result<TensorMapBytes> encode(const TensorMap& map)
{
  HONE_CHECK(check(map));
  return encode_unchecked(map);
}

std::optional<TensorMap> decode(std::span<const std::byte, k_tensor_map_bytes> bytes)
{
  Encoded in;
  std::memcpy(&in, bytes.data(), sizeof in);
  if (in.mark != k_tensor_map_mark || in.rank < 1 || in.rank > 5) {
    return std::nullopt;
  }
  TensorMap out;
  out.type = static_cast<TensorType>(in.type);
  out.rank = in.rank;
  out.swizzle = static_cast<TensorSwizzle>(in.swizzle);
  out.fill = static_cast<TensorFill>(in.fill);
  out.address = in.address;
  out.strides = in.strides;
  for (std::size_t i = 0; i < k_most_tensor_dimensions; ++i) {
    out.sizes[i] = std::uint64_t{in.last[i]} + 1;
    out.box[i] = in.box[i];
    out.element_strides[i] = in.element_strides[i];
  }
  return out;
}

} // namespace hone::emulate
