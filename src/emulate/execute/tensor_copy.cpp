// Copies of boxes of tensors that tensor maps describe. Layouts: PTX ISA, "Tensors". A map stays in use until the copy
// is over.
#include "emulate/execute/bulk.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

namespace {

constexpr std::uint64_t k_tensor_alignment = 128; // of boxes in shared memory

// One instruction, decoded.
struct TensorHow {
  int rank = 1;
  LaneOperand map, shared, barrier, mask;
  std::array<std::uint32_t, 5> coordinates{};
  bool loads = true, multicast = false;
  BulkUpdate update = BulkUpdate::none;
};

const std::byte* map_bytes(Warp& warp, const Op& op, std::uint64_t address, const MBarrier* barrier)
{
  if (address % k_tensor_map_alignment != 0) {
    report(warp, op, FindingKind::misaligned, fmt::format("a tensor map at {:#x}", address));
    return nullptr;
  }
  Launch& launch = *warp.group->launch;
  const std::uint64_t window = address & k_window_mask, offset = address & ~k_window_mask;
  const auto within = [&](const std::vector<std::byte>& bytes) -> const std::byte* {
    if (offset + k_tensor_map_bytes > bytes.size()) {
      report(warp, op, FindingKind::out_of_bounds, fmt::format("a tensor map at {:#x}", address));
      return nullptr;
    }
    return bytes.data() + offset;
  };
  if (window == k_parameter_window) {
    return within(launch.parameters);
  }
  if (window == k_constant_window) {
    return within(launch.code->constants);
  }
  if (window != 0) {
    report(warp, op, FindingKind::out_of_bounds,
           "a tensor map must lie in global or constant memory, or be a parameter");
    return nullptr;
  }
  return check_tensor_map(warp, op, address, k_tensor_map_bytes, barrier) ? reinterpret_cast<const std::byte*>(address)
                                                                          : nullptr;
}

std::optional<TensorMap> map_of(Warp& warp, const Op& op, const TensorHow& how, int lane, const MBarrier* barrier)
{
  const std::byte* const bytes = map_bytes(warp, op, how.map.of(warp, lane), barrier);
  if (bytes == nullptr) {
    return std::nullopt;
  }
  auto out = decode(std::span<const std::byte, k_tensor_map_bytes>(bytes, k_tensor_map_bytes));
  const auto fine = out ? check(*out) : Result<void>(fail("no tensor map lies there"));
  if (!fine || out->rank != how.rank) {
    report(warp, op, FindingKind::out_of_bounds,
           !fine ? fine.error().message
                 : fmt::format("a tensor map of {} dimensions where {} are copied", out->rank, how.rank));
    return std::nullopt;
  }
  return out;
}

// Calls `row(offset in the box, address, elements, whether they are inside)` for rows of elements along the first
// dimension; `inside` counts from the row's beginning for rows that leave the tensor.
template <class Row> bool each_row(const TensorMap& map, const std::array<std::int64_t, 5>& at, const Row& row)
{
  const std::size_t size = map.element_bytes();
  std::array<std::uint32_t, 5> index{};
  const std::uint32_t elements = map.box_elements(0);
  for (std::size_t offset = 0;; offset += elements * size) {
    std::uint64_t address = map.address;
    bool inside = true;
    for (std::size_t i = 1; i < static_cast<std::size_t>(map.rank); ++i) {
      const std::int64_t place = at[i] + std::int64_t{index[i]} * map.element_strides[i];
      inside = inside && place >= 0 && static_cast<std::uint64_t>(place) < map.sizes[i];
      address += static_cast<std::uint64_t>(place) * map.strides[i - 1];
    }
    if (!row(offset, address, elements, inside)) {
      return false;
    }
    std::size_t next = 1;
    while (next < static_cast<std::size_t>(map.rank) && ++index[next] == map.box_elements(static_cast<int>(next))) {
      index[next++] = 0;
    }
    if (next >= static_cast<std::size_t>(map.rank)) {
      return true;
    }
  }
}

// Elements [first, end) of a row that lie inside of the tensor, where they are neighbours; else one by one.
template <class Part> bool each_part(const TensorMap& map, std::int64_t at, std::uint32_t elements, const Part& part)
{
  const std::int64_t step = map.element_strides[0], size = static_cast<std::int64_t>(map.sizes[0]);
  if (step == 1) {
    const std::int64_t first = std::clamp<std::int64_t>(-at, 0, elements),
                       end = std::clamp<std::int64_t>(size - at, first, elements);
    return first == end || part(first, end - first, at + first);
  }
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t place = at + i * step;
    if (place >= 0 && place < size && !part(i, std::int64_t{1}, place)) {
      return false;
    }
  }
  return true;
}

// Where a byte of the box lies in shared memory, from its address without a swizzle.
std::uint64_t swizzled(const TensorMap& map, std::uint64_t linear)
{
  const std::uint64_t mask = map.swizzle == TensorSwizzle::bytes_128  ? 7
                             : map.swizzle == TensorSwizzle::bytes_64 ? 3
                             : map.swizzle == TensorSwizzle::bytes_32 ? 1
                                                                      : 0;
  return linear ^ ((linear >> 7 & mask) << 4);
}

void fill_outside(const TensorMap& map, std::vector<std::byte>& content)
{
  if (map.fill != TensorFill::nan) {
    return;
  }
  const std::size_t size = map.element_bytes();
  const std::uint64_t nan = map.type == TensorType::f64 ? 0x7fffffffffffffffull : size == 4 ? 0x7fffffffull : 0x7fffull;
  for (std::size_t at = 0; at < content.size(); at += size) {
    std::memcpy(content.data() + at, &nan, size);
  }
}

std::array<std::int64_t, 5> coordinates_of(const Warp& warp, const TensorHow& how, int lane)
{
  std::array<std::int64_t, 5> out{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(how.rank); ++i) {
    out[i] = warp.at<std::int32_t>(how.coordinates[i])[lane];
  }
  return out;
}

bool is_box_place(Warp& warp, const Op& op, std::uint64_t shared)
{
  if ((shared & ~k_window_mask) % k_tensor_alignment != 0) {
    report(warp, op, FindingKind::misaligned,
           fmt::format("a box of a tensor at {} of shared memory: no multiple of {}", shared & ~k_window_mask,
                       k_tensor_alignment));
    return false;
  }
  return true;
}

void load_box(Warp& warp, const Op& op, const TensorHow& how, int lane)
{
  const std::uint64_t to = how.shared.of(warp, lane), barrier_address = how.barrier.of(warp, lane);
  std::vector<BarrierPlace> barriers;
  std::vector<SharedPlace> places;
  const auto mask = how.multicast ? static_cast<std::uint32_t>(how.mask.of(warp, lane)) : 0;
  if (how.multicast && mask == 0) {
    report(warp, op, FindingKind::out_of_bounds, "copies to no block: its mask is 0");
    return;
  }
  if (!is_box_place(warp, op, to) || !destinations(warp, op, to, barrier_address, 1, lane, mask, barriers, places)) {
    return;
  }
  const MBarrier* const first = barriers.front().barrier;
  const auto map = map_of(warp, op, how, lane, first);
  if (!map) {
    return;
  }
  const auto at = coordinates_of(warp, how, lane);
  std::vector<std::byte> box(map->box_bytes());
  fill_outside(*map, box);
  const std::size_t size = map->element_bytes();
  const bool counts = counted(warp, op) != nullptr;
  std::vector<Stretch> rows; // of what is counted
  const bool fine =
    each_row(*map, at, [&](std::size_t offset, std::uint64_t address, std::uint32_t elements, bool inside) {
      return !inside || each_part(*map, at[0], elements, [&](std::int64_t i, std::int64_t count, std::int64_t place) {
        const auto bytes = static_cast<std::size_t>(count) * size;
        const std::byte* const from =
          async_global(warp, op, address + static_cast<std::uint64_t>(place) * size, bytes, Access::load, first);
        if (from != nullptr) {
          std::memcpy(box.data() + offset + static_cast<std::size_t>(i) * size, from, bytes);
        }
        if (counts) {
          rows.push_back({address + static_cast<std::uint64_t>(place) * size, bytes});
        }
        return from != nullptr;
      });
    });
  count_global(warp, op, rows, Access::load, false);
  for (std::size_t one = 0; fine && one < barriers.size(); ++one) {
    BulkCopy copy;
    copy.offset = places[one].offset;
    copy.content.resize(box.size());
    for (std::size_t byte = 0; byte < box.size(); byte += 16) {
      const std::size_t bytes = std::min<std::size_t>(16, box.size() - byte);
      const std::uint64_t target = swizzled(*map, copy.offset + byte) - copy.offset;
      std::memcpy(copy.content.data() + target, box.data() + byte, bytes);
    }
    if (!begin_bulk_copy(warp, op, barriers[one], std::move(copy))) {
      return;
    }
  }
}

std::optional<BulkNumber> number_of(TensorType type)
{
  switch (type) {
  case TensorType::u32:
    return BulkNumber::u32;
  case TensorType::s32:
    return BulkNumber::s32;
  case TensorType::u64:
    return BulkNumber::u64;
  case TensorType::s64:
    return BulkNumber::s64;
  case TensorType::f16:
    return BulkNumber::f16;
  case TensorType::bf16:
    return BulkNumber::bf16;
  case TensorType::f32:
    return BulkNumber::f32;
  case TensorType::f64:
    return BulkNumber::f64;
  default:
    return std::nullopt;
  }
}

void store_box(Warp& warp, const Op& op, const TensorHow& how, int lane)
{
  const std::uint64_t from = how.shared.of(warp, lane) & ~k_window_mask;
  const auto map = is_box_place(warp, op, from) ? map_of(warp, op, how, lane, nullptr) : std::nullopt;
  if (!map) {
    return;
  }
  const std::uint64_t address_of_map = how.map.of(warp, lane);
  if ((address_of_map & k_window_mask) == 0) {
    warp.bulk_accesses.push_back({address_of_map, k_tensor_map_bytes, 0, true, false});
  }
  const std::size_t all = map->box_bytes(), size = map->element_bytes();
  const std::byte* const source = async_bytes(warp, op, {warp.group, from}, all, Access::load, nullptr);
  const auto number = number_of(map->type);
  if (source == nullptr || (how.update != BulkUpdate::none && !number)) {
    if (source != nullptr) {
      report(warp, op, FindingKind::unsupported, "a reduction of a tensor of this type");
    }
    return;
  }
  warp.bulk_accesses.push_back({from, all, 0, false, false});
  std::vector<std::byte> box(all);
  for (std::size_t byte = 0; byte < all; byte += 16) {
    std::memcpy(box.data() + byte, source + (swizzled(*map, from + byte) - from),
                std::min<std::size_t>(16, all - byte));
  }
  const auto at = coordinates_of(warp, how, lane);
  const Access access = how.update == BulkUpdate::none ? Access::store : Access::atomic;
  const bool counts = counted(warp, op) != nullptr;
  std::vector<Stretch> rows; // of what is counted
  each_row(*map, at, [&](std::size_t offset, std::uint64_t address, std::uint32_t elements, bool inside) {
    return !inside || each_part(*map, at[0], elements, [&](std::int64_t i, std::int64_t count, std::int64_t place) {
      const auto bytes = static_cast<std::size_t>(count) * size;
      const std::uint64_t begin = address + static_cast<std::uint64_t>(place) * size;
      std::byte* const to = async_global(warp, op, begin, bytes, access, nullptr);
      if (to != nullptr) {
        apply_update(to, box.data() + offset + static_cast<std::size_t>(i) * size, bytes, how.update,
                     number.value_or(BulkNumber::u32));
        warp.bulk_accesses.push_back({begin, bytes, 0, true, true});
        if (counts) {
          rows.push_back({begin, bytes});
        }
      }
      return to != nullptr;
    });
  });
  count_global(warp, op, rows, access, false);
  count_bulk_shared(warp, op, from, all);
  if (LineCounts* const line = counted(warp, op)) {
    line->copied_bytes += all;
  }
}

void copy_box(Warp& warp, const Op& op)
{
  const auto& how =
    *static_cast<const TensorHow*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    how.loads ? load_box(warp, op, how, lane) : store_box(warp, op, how, lane);
    if (warp.group->launch->fatal) {
      return;
    }
  }
}

} // namespace

// cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [barrier][, mask]
// cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [from]
bool decode_tensor_copy(Decoder& decoder)
{
  if (decoder.has("prefetch")) {
    decode_nothing(decoder);
    return true;
  }
  const bool reduces = decoder.has("reduce");
  const std::string_view rank = decoder.part(reduces ? 5 : 4), target = decoder.part(reduces ? 6 : 5);
  static constexpr std::array<std::string_view, 5> k_ranks = {"1d", "2d", "3d", "4d", "5d"};
  const auto found = std::ranges::find(k_ranks, rank);
  const bool known_mode = std::ranges::none_of(decoder.statement().opcode, [](const std::string& part) {
    return part.starts_with("im2col") || part.starts_with("tile::") || part.starts_with("cta_group");
  });
  auto how = std::make_shared<TensorHow>();
  how->loads = target != "global";
  how->rank = static_cast<int>(found - k_ranks.begin()) + 1;
  how->multicast = decoder.has("multicast::cluster");
  how->update = reduces ? bulk_update_in(decoder) : BulkUpdate::none;
  const ptx::Operand& map = decoder.operand(how->loads ? 1 : 0);
  if (found == k_ranks.end() || !known_mode || map.items.size() != 1
      || map.items.front().items.size() != static_cast<std::size_t>(how->rank)
      || (reduces && (how->loads || how->update == BulkUpdate::none))
      || !decoder.has(how->loads ? "mbarrier::complete_tx::bytes" : "bulk_group")) {
    return false;
  }
  how->map = lane_operand(decoder, map);
  for (std::size_t i = 0; i < map.items.front().items.size(); ++i) {
    how->coordinates[i] = decoder.source(map.items.front().items[i], 4);
  }
  how->shared = lane_operand(decoder, decoder.operand(how->loads ? 0 : 1));
  if (how->loads) {
    how->barrier = lane_operand(decoder, decoder.operand(2));
    how->mask = how->multicast ? mask_operand(decoder, decoder.operand(3)) : LaneOperand{};
  }
  const std::int64_t number = decoder.keep(how);
  decoder.emit(copy_box).imm = number;
  return true;
}

} // namespace hone::emulate::execute
