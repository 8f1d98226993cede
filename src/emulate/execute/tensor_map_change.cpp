// What a program may do with a tensor map in memory. A map is read by a proxy of its own: what was stored to it is seen
// behind fence.proxy.tensormap only, which the writer releases and the reader acquires.
#include "emulate/execute/bulk.h"
#include "emulate/execute/lanes.h"
#include "emulate/tensor_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace hone::emulate::execute {

namespace {

// a: addresses of e bytes, plus imm.
void acquire_map(Warp& warp, const Op& op)
{
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    warp.map_views[LaneOperand{op.a, op.e, op.imm}.of(warp, std::countr_zero(rest))] = warp.clock;
  }
  warp.advance();
}

void tell_of_maps(Warp& warp)
{
  const Cluster& cluster = *warp.group->cluster;
  for (std::uint32_t i = 0; i < cluster.warps; ++i) {
    std::uint32_t& told = warp.group->launch->map_releases[cluster.first_actor + i];
    told = std::max(told, warp.clock.near[i]);
  }
}

void release_maps(Warp& warp, const Op&)
{
  tell_of_maps(warp);
  warp.advance();
}

// tensormap.cp_fenceproxy: a map from shared memory (b, bytes in count) to global memory (a), shown to the proxy.
void copy_map(Warp& warp, const Op& op)
{
  const auto& how = *static_cast<const std::pair<LaneOperand, LaneOperand>*>(
    warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  const int lane = std::countr_zero(warp.exec); // the warp does it together
  for (std::size_t at = 0; at < k_tensor_map_bytes; at += 16) {
    const std::byte* const from = bytes_at(warp, op, Where::shared, (how.second.of(warp, lane) & ~k_window_mask) + at,
                                           16, lane, Access::load, false);
    std::byte* const to = from == nullptr ? nullptr
                                          : bytes_at(warp, op, Where::global, how.first.of(warp, lane) + at, 16, lane,
                                                     Access::store, false);
    if (to == nullptr) {
      return;
    }
    std::memcpy(to, from, 16);
  }
  tell_of_maps(warp);
  warp.advance();
}

enum class MapField : std::uint8_t {
  address,
  rank,
  box,
  size,
  stride,
  element_stride,
  type,
  interleave,
  swizzle,
  fill
};

struct MapChange {
  LaneOperand map, value;
  MapField field = MapField::address;
  std::size_t dimension = 0;
  bool shared = false;
};

// The numbers that tensormap.replace gives to types.
TensorType type_numbered(std::uint64_t number)
{
  static constexpr std::array<TensorType, 13> k_types = {
    TensorType::u8,   TensorType::u16,  TensorType::u32,     TensorType::s32,     TensorType::u64,
    TensorType::s64,  TensorType::f16,  TensorType::f32,     TensorType::f32_ftz, TensorType::f64,
    TensorType::bf16, TensorType::tf32, TensorType::tf32_ftz};
  return k_types[number % k_types.size()];
}

// False: not known.
bool change_field(TensorMap& map, const MapChange& change, std::uint64_t value)
{
  switch (change.field) {
  case MapField::address:
    map.address = value;
    return true;
  case MapField::rank:
    map.rank = static_cast<int>(value) + 1;
    return value < k_most_tensor_dimensions;
  case MapField::box:
    map.box[change.dimension] = static_cast<std::uint32_t>(value);
    return true;
  case MapField::size:
    map.sizes[change.dimension] = static_cast<std::uint32_t>(value);
    return true;
  case MapField::stride:
    map.strides[std::min<std::size_t>(change.dimension, 3)] = value;
    return change.dimension < 4;
  case MapField::element_stride:
    map.element_strides[change.dimension] = static_cast<std::uint32_t>(value);
    return true;
  case MapField::type:
    map.type = type_numbered(value);
    return value < 13;
  case MapField::interleave:
    return value == 0;
  case MapField::swizzle:
    map.swizzle = static_cast<TensorSwizzle>(value);
    return value < 4;
  case MapField::fill:
    map.fill = static_cast<TensorFill>(value);
    return value < 2;
  }
  return false;
}

void change_map(Warp& warp, const Op& op)
{
  const auto& how =
    *static_cast<const MapChange*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = how.map.of(warp, lane);
    std::byte* bytes = nullptr;
    for (std::size_t at = k_tensor_map_bytes; at > 0; at -= 16) { // the last is the first of its bytes
      bytes = bytes_at(warp, op, how.shared ? Where::shared : Where::generic,
                       (how.shared ? address & ~k_window_mask : address) + at - 16, 16, lane, Access::store, false);
      if (bytes == nullptr) {
        return;
      }
    }
    auto map = decode(std::span<const std::byte, k_tensor_map_bytes>(bytes, k_tensor_map_bytes));
    if (!map || !change_field(*map, how, how.value.of(warp, lane))) {
      report(warp, op, FindingKind::unsupported, map ? "this value of a tensor map" : "no tensor map lies there");
      return;
    }
    const TensorMapBytes out = encode_unchecked(*map);
    std::memcpy(bytes, out.data(), out.size());
  }
}

bool decode_map_change(Decoder& decoder)
{
  static constexpr std::array<std::pair<std::string_view, MapField>, 10> k_fields = {
    {{"global_address", MapField::address},
     {"rank", MapField::rank},
     {"box_dim", MapField::box},
     {"global_dim", MapField::size},
     {"global_stride", MapField::stride},
     {"element_stride", MapField::element_stride},
     {"elemtype", MapField::type},
     {"interleave_layout", MapField::interleave},
     {"swizzle_mode", MapField::swizzle},
     {"fill_mode", MapField::fill}}};
  const auto field = std::ranges::find(k_fields, decoder.part(3), &std::pair<std::string_view, MapField>::first);
  if (field == k_fields.end() || !decoder.has("tile")) {
    return false;
  }
  auto how = std::make_shared<MapChange>();
  how->field = field->second;
  how->shared = decoder.has("shared::cta");
  how->map = lane_operand(decoder, decoder.operand(0));
  const bool numbered = decoder.operands() == 3;
  how->dimension = numbered ? decoder.operand(1).bits : 0;
  const std::uint32_t bytes = decoder.type() == "b64" ? 8 : 4;
  how->value = {decoder.source(numbered ? 2 : 1, static_cast<int>(bytes)), bytes, 0};
  if (how->dimension >= k_most_tensor_dimensions) {
    return false;
  }
  const std::int64_t number = decoder.keep(how);
  decoder.emit(change_map).imm = number;
  return true;
}

} // namespace

bool decode_map_fence(Decoder& decoder)
{
  if (!decoder.has("tensormap::generic")) {
    return false;
  }
  if (decoder.has("release")) {
    decoder.emit(release_maps);
    return true;
  }
  const LaneOperand at = lane_operand(decoder, decoder.operand(0));
  Op op;
  op.run = acquire_map;
  op.a = at.at;
  op.e = at.bytes;
  op.imm = at.offset;
  decoder.emit(op);
  return decoder.has("acquire");
}

void decode_tensor_map(Decoder& decoder)
{
  if (decoder.has("cp_fenceproxy") && decoder.has("release")) {
    const auto how = std::make_shared<std::pair<LaneOperand, LaneOperand>>(lane_operand(decoder, decoder.operand(0)),
                                                                           lane_operand(decoder, decoder.operand(1)));
    const std::int64_t number = decoder.keep(how);
    decoder.emit(copy_map).imm = number;
  } else if (!decoder.has("replace") || !decode_map_change(decoder)) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
