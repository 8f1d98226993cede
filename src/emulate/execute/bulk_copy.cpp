// Bulk copies between global memory and shared memory, of the own group or others of its cluster: they go on while the
// warp does, and report to an mbarrier, or are waited for in groups. Their bytes come as late as a device may let them.
#include "emulate/execute/bulk.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace hone::emulate::execute {

namespace {

constexpr std::uint64_t k_bulk_unit = 16;

// One instruction, decoded.
struct BulkHow {
  LaneOperand to, from, bytes, barrier, mask;
  bool from_shared = false, to_global = false, multicast = false;
  BulkUpdate update = BulkUpdate::none;
  BulkNumber number = BulkNumber::u32;
};

const BulkHow& how_of(const Warp& warp, const Op& op)
{
  return *static_cast<const BulkHow*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
}

bool is_aligned(Warp& warp, const Op& op, std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
{
  if ((to | from | bytes) % k_bulk_unit != 0) {
    report(warp, op, FindingKind::misaligned, "a bulk copy takes places and lengths of 16 bytes");
    return false;
  }
  return true;
}

template <class T> T updated_number(BulkUpdate update, T old, T value)
{
  switch (update) {
  case BulkUpdate::add:
    return static_cast<T>(old + value);
  case BulkUpdate::min:
    return std::min(old, value);
  case BulkUpdate::max:
    return std::max(old, value);
  case BulkUpdate::inc:
    return old >= value ? T{0} : static_cast<T>(old + T{1});
  case BulkUpdate::dec:
    return old == T{0} || old > value ? value : static_cast<T>(old - T{1});
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(update == BulkUpdate::land  ? old & value
                          : update == BulkUpdate::lor ? old | value
                                                      : old ^ value);
  }
  return value;
}

template <class T> void update_numbers(std::byte* to, const std::byte* from, std::size_t bytes, BulkUpdate update)
{
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old{}, value{};
    std::memcpy(&old, to + at, sizeof(T));
    std::memcpy(&value, from + at, sizeof(T));
    value = updated_number(update, old, value);
    std::memcpy(to + at, &value, sizeof(T));
  }
}

template <bool bfloat> void update_halves(std::byte* to, const std::byte* from, std::size_t bytes, BulkUpdate update)
{
  for (std::size_t at = 0; at + 2 <= bytes; at += 2) {
    std::uint16_t old = 0, value = 0;
    std::memcpy(&old, to + at, 2);
    std::memcpy(&value, from + at, 2);
    const double x = bfloat ? bfloat_to_float(old) : half_to_float(old),
                 y = bfloat ? bfloat_to_float(value) : half_to_float(value);
    const double sum = updated_number(update, x, y);
    value = bfloat ? double_to_bfloat(sum) : double_to_half(sum);
    std::memcpy(to + at, &value, 2);
  }
}

// From global memory, or the group's own shared memory, to shared memory.
void bulk_to_shared(Warp& warp, const Op& op)
{
  const BulkHow& how = how_of(warp, op);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t to = how.to.of(warp, lane), from = how.from.of(warp, lane);
    const std::uint64_t barrier_address = how.barrier.of(warp, lane), bytes = how.bytes.of(warp, lane);
    if (!is_aligned(warp, op, to, from, bytes)) {
      return;
    }
    std::vector<BarrierPlace> barriers;
    std::vector<SharedPlace> places;
    if (!destinations(warp, op, to, barrier_address, bytes, lane,
                      how.multicast ? static_cast<std::uint32_t>(how.mask.of(warp, lane)) : 0, barriers, places)) {
      return;
    }
    const MBarrier* const first = barriers.front().barrier;
    const std::byte* const source =
      how.from_shared ? async_bytes(warp, op, {warp.group, from & ~k_window_mask}, bytes, Access::load, first)
                      : async_global(warp, op, from, bytes, Access::load, first);
    if (source == nullptr) {
      return;
    }
    if (how.from_shared) {
      count_bulk_shared(warp, op, from & ~k_window_mask, bytes);
    } else {
      const Stretch stretch{from, bytes};
      count_global(warp, op, {&stretch, 1}, Access::load, true);
    }
    for (std::size_t i = 0; i < barriers.size(); ++i) {
      BulkCopy copy;
      copy.offset = places[i].offset;
      copy.content.assign(source, source + bytes);
      copy.update = static_cast<std::uint8_t>(how.update);
      copy.number = static_cast<std::uint8_t>(how.number);
      if (!begin_bulk_copy(warp, op, barriers[i], std::move(copy))) {
        return;
      }
    }
  }
}

// From shared to global memory, in the warp's groups of copies.
void bulk_to_global(Warp& warp, const Op& op)
{
  const BulkHow& how = how_of(warp, op);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t to = how.to.of(warp, lane), from = how.from.of(warp, lane) & ~k_window_mask;
    const std::uint64_t bytes = how.bytes.of(warp, lane);
    if (!is_aligned(warp, op, to, from, bytes)) {
      return;
    }
    const std::byte* const source = async_bytes(warp, op, {warp.group, from}, bytes, Access::load, nullptr);
    const Access access = how.update == BulkUpdate::none ? Access::store : Access::atomic;
    std::byte* const target = source == nullptr ? nullptr : async_global(warp, op, to, bytes, access, nullptr);
    if (target == nullptr) {
      return;
    }
    apply_update(target, source, bytes, how.update, how.number);
    const Stretch stretch{to, bytes};
    count_global(warp, op, {&stretch, 1}, access, true);
    count_bulk_shared(warp, op, from, bytes);
    if (LineCounts* const line = counted(warp, op)) {
      line->copied_bytes += bytes;
    }
    warp.bulk_accesses.push_back({from, bytes, 0, false, false});
    warp.bulk_accesses.push_back({to, bytes, 0, true, true});
  }
}

void commit_bulk(Warp& warp, const Op&)
{
  ++warp.bulk_groups;
  for (PendingAccess& access : warp.bulk_accesses) {
    access.group = access.group == 0 ? warp.bulk_groups : access.group;
  }
}

// kind 1: .read, what is stored may still be under way.
void wait_bulk(Warp& warp, const Op& op)
{
  const std::uint64_t left = static_cast<std::uint64_t>(op.imm);
  const std::uint64_t done = warp.bulk_groups > left ? warp.bulk_groups - left : 0;
  std::erase_if(warp.bulk_accesses, [&](const PendingAccess& access) {
    const bool over = access.group != 0 && access.group <= done && (op.kind == 0 || !access.stores);
    if (over) {
      end_async(warp, access);
    }
    return over;
  });
}

// st.async and red.async: b and its like hold the values. bytes: of an element, count: elements.
struct AsyncStore {
  LaneOperand to, barrier;
  std::array<std::uint32_t, 4> values{};
  std::size_t bytes = 4, count = 1, register_bytes = 4;
  BulkUpdate update = BulkUpdate::none;
  BulkNumber number = BulkNumber::u32;
};

void store_later(Warp& warp, const Op& op)
{
  const auto& how =
    *static_cast<const AsyncStore*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::size_t bytes = how.bytes * how.count;
    const std::uint64_t to = how.to.of(warp, lane);
    if (to % bytes != 0) {
      report(warp, op, FindingKind::misaligned, fmt::format("stores {} bytes at {:#x}", bytes, to));
      return;
    }
    const BarrierPlace barrier = barrier_at(warp, op, how.barrier.of(warp, lane), lane);
    const SharedPlace place =
      barrier.barrier == nullptr ? SharedPlace{} : shared_place(warp, op, to, bytes, lane, Access::store);
    if (place.group == nullptr) {
      return;
    }
    if (place.group != barrier.place.group) {
      report(warp, op, FindingKind::unsupported, "a copy whose mbarrier lies in another block than its bytes");
      return;
    }
    BulkCopy copy;
    copy.offset = place.offset;
    copy.content.resize(bytes);
    copy.update = static_cast<std::uint8_t>(how.update);
    copy.number = static_cast<std::uint8_t>(how.number);
    for (std::size_t i = 0; i < how.count; ++i) {
      std::memcpy(copy.content.data() + i * how.bytes,
                  warp.registers + how.values[i] + static_cast<std::size_t>(lane) * how.register_bytes, how.bytes);
    }
    if (!begin_bulk_copy(warp, op, barrier, std::move(copy))) {
      return;
    }
  }
}

} // namespace

LaneOperand lane_operand(Decoder& decoder, const ptx::Operand& operand)
{
  if (const Decoder::Symbol* known = decoder.symbol(operand.text)) {
    const std::uint64_t window = known->space == ptx::Space::param      ? k_parameter_window
                                 : known->space == ptx::Space::constant ? k_constant_window
                                                                        : 0;
    const std::uint32_t bytes = known->space == ptx::Space::shared ? 4 : 8;
    return {decoder.constant(static_cast<int>(bytes), window + known->offset), bytes, operand.offset};
  }
  const std::uint32_t bytes = decoder.register_bytes(operand) == 8 ? 8 : 4;
  const bool address = operand.kind == ptx::Operand::Kind::address;
  return {decoder.source(operand, static_cast<int>(bytes)), bytes, address ? operand.offset : 0};
}

LaneOperand mask_operand(Decoder& decoder, const ptx::Operand& operand)
{
  return {decoder.source(operand, 2), decoder.register_bytes(operand) == 4 ? 4u : 2u, 0};
}

std::size_t bytes_of(BulkNumber number)
{
  switch (number) {
  case BulkNumber::f16:
  case BulkNumber::bf16:
    return 2;
  case BulkNumber::u64:
  case BulkNumber::s64:
  case BulkNumber::f64:
    return 8;
  default:
    return 4;
  }
}

BulkUpdate bulk_update_in(const Decoder& decoder)
{
  return decoder.has("add")   ? BulkUpdate::add
         : decoder.has("min") ? BulkUpdate::min
         : decoder.has("max") ? BulkUpdate::max
         : decoder.has("inc") ? BulkUpdate::inc
         : decoder.has("dec") ? BulkUpdate::dec
         : decoder.has("and") ? BulkUpdate::land
         : decoder.has("or")  ? BulkUpdate::lor
         : decoder.has("xor") ? BulkUpdate::lxor
                              : BulkUpdate::none;
}

std::optional<BulkNumber> bulk_number_of(std::string_view type)
{
  static constexpr std::array<std::pair<std::string_view, BulkNumber>, 10> k_types = {{{"u32", BulkNumber::u32},
                                                                                       {"b32", BulkNumber::u32},
                                                                                       {"s32", BulkNumber::s32},
                                                                                       {"u64", BulkNumber::u64},
                                                                                       {"b64", BulkNumber::u64},
                                                                                       {"s64", BulkNumber::s64},
                                                                                       {"f16", BulkNumber::f16},
                                                                                       {"bf16", BulkNumber::bf16},
                                                                                       {"f32", BulkNumber::f32},
                                                                                       {"f64", BulkNumber::f64}}};
  const auto found = std::ranges::find(k_types, type, &std::pair<std::string_view, BulkNumber>::first);
  return found == k_types.end() ? std::nullopt : std::optional(found->second);
}

void apply_update(std::byte* to, const std::byte* from, std::size_t bytes, BulkUpdate update, BulkNumber number)
{
  if (update == BulkUpdate::none) {
    std::memcpy(to, from, bytes);
    return;
  }
  switch (number) {
  case BulkNumber::u32:
    return update_numbers<std::uint32_t>(to, from, bytes, update);
  case BulkNumber::s32:
    return update_numbers<std::int32_t>(to, from, bytes, update);
  case BulkNumber::u64:
    return update_numbers<std::uint64_t>(to, from, bytes, update);
  case BulkNumber::s64:
    return update_numbers<std::int64_t>(to, from, bytes, update);
  case BulkNumber::f32:
    return update_numbers<float>(to, from, bytes, update);
  case BulkNumber::f64:
    return update_numbers<double>(to, from, bytes, update);
  case BulkNumber::f16:
    return update_halves<false>(to, from, bytes, update);
  case BulkNumber::bf16:
    return update_halves<true>(to, from, bytes, update);
  }
}

bool destinations(Warp& warp, const Op& op, std::uint64_t to, std::uint64_t barrier, std::size_t bytes, int lane,
                  std::uint32_t mask, std::vector<BarrierPlace>& barriers, std::vector<SharedPlace>& places)
{
  const auto add = [&](std::uint64_t at, std::uint64_t barrier_address) {
    const BarrierPlace one = barrier_at(warp, op, barrier_address, lane);
    const SharedPlace place =
      one.barrier == nullptr ? SharedPlace{} : shared_place(warp, op, at, bytes, lane, Access::store);
    if (place.group == nullptr) {
      return false;
    }
    if (place.group != one.place.group) {
      report(warp, op, FindingKind::unsupported, "a copy whose mbarrier lies in another block than its bytes");
      return false;
    }
    barriers.push_back(one);
    places.push_back(place);
    return true;
  };
  if (mask == 0) {
    return add(to, barrier);
  }
  // To the same places of every group that the mask names; the own one first.
  constexpr std::uint64_t k_offset = (std::uint64_t{1} << k_rank_shift) - 1;
  const auto own = std::uint32_t{1} << warp.group->rank;
  const auto of_rank = [&](std::uint64_t rank) {
    const std::uint64_t tag = (rank + 1) << k_rank_shift;
    return add((to & k_offset) | tag, (barrier & k_offset) | tag);
  };
  if ((mask & own) != 0 && !of_rank(warp.group->rank)) {
    return false;
  }
  for (std::uint32_t rest = mask & ~own; rest != 0; rest &= rest - 1) {
    if (!of_rank(static_cast<std::uint64_t>(std::countr_zero(rest)))) {
      return false;
    }
  }
  return true;
}

bool begin_bulk_copy(Warp& warp, const Op& op, const BarrierPlace& barrier, BulkCopy copy)
{
  Group& group = *barrier.place.group;
  const std::size_t bytes = copy.content.size();
  const Access access = copy.update == 0 ? Access::store : Access::atomic;
  std::byte* const target = async_bytes(warp, op, {&group, copy.offset}, bytes, access, barrier.barrier);
  if (target == nullptr) {
    return false;
  }
  if (LineCounts* const line = counted(warp, op)) {
    line->copied_bytes += bytes;
    count_bulk_shared(warp, op, copy.offset, bytes);
  }
  copy.barrier = barrier.place.offset;
  copy.place = op.place;
  if (access == Access::store) {
    std::memset(target, 0xee, bytes); // nobody counts on what was there
  }
  group.bulk_copies.push_back(std::move(copy));
  ++group.launch->events;
  return true;
}

bool decode_bulk(Decoder& decoder)
{
  if (decoder.has("commit_group")) {
    decoder.emit(commit_bulk);
    return true;
  }
  if (decoder.has("wait_group")) {
    Op op;
    op.run = wait_bulk;
    op.imm = static_cast<std::int64_t>(decoder.operand(0).bits);
    op.kind = decoder.has("read") ? 1 : 0;
    decoder.emit(op);
    return true;
  }
  if (decoder.has("tensor")) {
    return decode_tensor_copy(decoder);
  }
  if (decoder.has("prefetch")) {
    decode_nothing(decoder);
    return true;
  }
  auto how = std::make_shared<BulkHow>();
  const bool reduces = decoder.has("reduce");
  if (reduces) {
    const auto number = bulk_number_of(decoder.type());
    how->update = bulk_update_in(decoder);
    if (!number || how->update == BulkUpdate::none) {
      return false;
    }
    how->number = *number;
  }
  // cp.async.bulk.destination.source, cp.reduce.async.bulk.destination.source
  const std::string_view target = decoder.part(reduces ? 4 : 3), source = decoder.part(reduces ? 5 : 4);
  how->multicast = decoder.has("multicast::cluster");
  how->to_global = target == "global";
  how->from_shared = source == "shared::cta";
  if (how->to_global != decoder.has("bulk_group") || (how->to_global && !how->from_shared)
      || (!how->to_global && !decoder.has("mbarrier::complete_tx::bytes")) || decoder.has("cp_mask")) {
    return false;
  }
  how->to = lane_operand(decoder, decoder.operand(0));
  how->from = lane_operand(decoder, decoder.operand(1));
  how->bytes = lane_operand(decoder, decoder.operand(2));
  if (!how->to_global) {
    how->barrier = lane_operand(decoder, decoder.operand(3));
    how->mask = how->multicast ? mask_operand(decoder, decoder.operand(4)) : LaneOperand{};
  }
  const std::int64_t number = decoder.keep(how);
  decoder.emit(how->to_global ? bulk_to_global : bulk_to_shared).imm = number;
  return true;
}

// st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], {b}, [barrier]; red.async.
bool decode_async_store(Decoder& decoder)
{
  auto how = std::make_shared<AsyncStore>();
  const ptx::Operand& data = decoder.operand(1);
  how->bytes = static_cast<std::size_t>(ptx::bytes_of_type(decoder.type()));
  how->count = decoder.has("v2") ? 2 : decoder.has("v4") ? 4 : 1;
  how->register_bytes = how->bytes;
  if (how->bytes < 4 || !decoder.has("mbarrier::complete_tx::bytes")) {
    return false;
  }
  if (decoder.name() == "red") {
    const auto number = bulk_number_of(decoder.type());
    how->update = bulk_update_in(decoder);
    if (!number || how->update == BulkUpdate::none) {
      return false;
    }
    how->number = *number;
  }
  for (std::size_t i = 0; i < how->count; ++i) {
    const ptx::Operand& one = data.kind == ptx::Operand::Kind::list ? data.items.at(i) : data;
    how->values[i] = decoder.source(one, static_cast<int>(how->bytes));
  }
  how->to = lane_operand(decoder, decoder.operand(0));
  how->barrier = lane_operand(decoder, decoder.operand(2));
  const std::int64_t number = decoder.keep(how);
  decoder.emit(store_later).imm = number;
  return true;
}

} // namespace hone::emulate::execute
