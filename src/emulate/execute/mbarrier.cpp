// mbarrier objects, bulk copies that report to them, fences between the proxies.
#include "emulate/execute/lanes.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hone::emulate::execute {

namespace {

std::uint64_t shared_address(const Warp& warp, std::uint32_t at, std::uint32_t bytes, int lane)
{
  const std::uint64_t address = bytes == 4 ? warp.at<std::uint32_t>(at)[lane] : warp.at<std::uint64_t>(at)[lane];
  return address & ~k_window_mask;
}

// Where the barrier of an operation lies: lanes a of e bytes, plus imm.
std::uint64_t barrier_address(const Warp& warp, const Op& op, int lane)
{
  return shared_address(warp, op.a, op.e, lane) + static_cast<std::uint64_t>(op.imm);
}

MBarrier* barrier_at(Warp& warp, const Op& op, std::uint64_t offset, int lane)
{
  if (bytes_at(warp, op, Where::shared, offset, 8, lane, Access::atomic, false) == nullptr) {
    return nullptr;
  }
  const auto found = warp.group->mbarriers.find(offset);
  if (found == warp.group->mbarriers.end()) {
    report(warp, op, FindingKind::uninitialised, fmt::format("the mbarrier at {} was not initialised", offset));
    return nullptr;
  }
  return &found->second;
}

void look_at_phase(Group& group, MBarrier& barrier)
{
  ++group.events;
  if (barrier.pending == 0 && barrier.bytes == 0) {
    ++barrier.phase;
    barrier.pending = barrier.count;
    join_clocks(barrier.released, barrier.arriving);
    barrier.arriving.assign(barrier.arriving.size(), 0);
  }
}

void init(Warp& warp, const Op& op)
{
  Group& group = *warp.group;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset = barrier_address(warp, op, lane);
    if (bytes_at(warp, op, Where::shared, offset, 8, lane, Access::store, false) == nullptr) {
      return;
    }
    const auto known = group.mbarriers.find(offset);
    MBarrier barrier;
    barrier.number =
      known == group.mbarriers.end() ? static_cast<std::uint32_t>(group.mbarriers.size()) : known->second.number;
    if (barrier.number >= k_most_mbarriers) {
      report(warp, op, FindingKind::unsupported, fmt::format("more than {} mbarriers", k_most_mbarriers));
      return;
    }
    barrier.count = barrier.pending = warp.at<std::uint32_t>(op.b)[lane];
    barrier.arriving.assign(2 * group.actors(), 0);
    barrier.released.assign(2 * group.actors(), 0);
    group.mbarriers[offset] = std::move(barrier);
  }
}

// kind 1: lanes b hold bytes that are expected; count 1: lanes c hold how many arrive; d2 1: an arrival, else bytes
// only.
void arrive_at(Warp& warp, const Op& op)
{
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    MBarrier* const barrier = barrier_at(warp, op, barrier_address(warp, op, lane), lane);
    if (barrier == nullptr) {
      return;
    }
    warp.at<std::uint64_t>(op.d)[lane] = barrier->phase;
    barrier->bytes += op.kind != 0 ? warp.at<std::uint32_t>(op.b)[lane] : 0;
    if (op.d2 != 0) {
      const std::uint32_t arrivals = op.count != 0 ? warp.at<std::uint32_t>(op.c)[lane] : 1;
      if (arrivals > barrier->pending) {
        report(warp, op, FindingKind::divergence,
               fmt::format("more arrivals at the mbarrier than its count of {}", barrier->count));
        return;
      }
      join_clocks(barrier->arriving, warp.clock);
      barrier->pending -= arrivals;
    }
    look_at_phase(*warp.group, *barrier);
  }
  ++warp.clock[static_cast<std::size_t>(warp.index)];
}

// Bytes of one copy come; the newest are not there while older ones are.
void let_bytes_come(Group& group, std::uint64_t barrier_offset)
{
  const auto found = std::ranges::find(group.bulk_copies, barrier_offset, &BulkCopy::barrier);
  if (found == group.bulk_copies.end()) {
    return;
  }
  std::memcpy(group.shared.data() + found->offset, found->content.data(), found->content.size());
  MBarrier& barrier = group.mbarriers.at(barrier_offset);
  barrier.bytes -= static_cast<std::int64_t>(found->content.size());
  group.bulk_copies.erase(found);
  look_at_phase(group, barrier);
}

// kind 1: lanes b hold a parity, else the state of an arrival; count 1: try_wait. d: a predicate.
void wait_at(Warp& warp, const Op& op)
{
  Mask done = 0;
  bool in_vain = false;
  std::uint64_t last = 0;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset = barrier_address(warp, op, lane);
    MBarrier* const barrier = barrier_at(warp, op, offset, lane);
    if (barrier == nullptr) {
      return;
    }
    const bool over = op.kind != 0 ? (barrier->phase & 1) != warp.at<std::uint32_t>(op.b)[lane]
                                   : barrier->phase > warp.at<std::uint64_t>(op.b)[lane];
    if (over) {
      done |= Mask{1} << lane;
      join_clocks(warp.clock, barrier->released);
      std::uint32_t& known = warp.clock[warp.group->warps.size() + barrier->number];
      known = std::max(known, barrier->phase);
    } else {
      in_vain = true;
      last = offset;
    }
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | done;
  if (in_vain) {
    let_bytes_come(*warp.group, last);
    warp.yields = true;
    warp.waits_at = last;
    warp.waits_place = op.place;
  } else {
    warp.waits_place = 0;
    ++warp.group->events;
  }
}

void fence_proxies(Warp& warp, const Op&)
{
  const std::size_t actors = warp.group->actors();
  for (std::size_t i = 0; i < actors; ++i) {
    warp.clock[actors + i] = std::max(warp.clock[actors + i], warp.clock[i]);
  }
  ++warp.clock[static_cast<std::size_t>(warp.index)];
}

// cp.async.bulk.shared::cluster.global.mbarrier [d], [a], bytes, [barrier]: d, a, b and c lanes; e: bytes of d's and
// c's lanes (4 bits each).
void bulk_to_shared(Warp& warp, const Op& op)
{
  Group& group = *warp.group;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    BulkCopy copy;
    copy.offset = shared_address(warp, op.d, op.e & 15, lane);
    copy.barrier = shared_address(warp, op.c, op.e >> 4, lane);
    copy.place = op.place;
    const std::uint64_t from = warp.at<std::uint64_t>(op.a)[lane];
    const std::uint32_t bytes = warp.at<std::uint32_t>(op.b)[lane];
    if (copy.offset % 16 != 0 || from % 16 != 0 || bytes % 16 != 0) {
      report(warp, op, FindingKind::misaligned, "a bulk copy takes places and lengths of 16 bytes");
      return;
    }
    MBarrier* const barrier = barrier_at(warp, op, copy.barrier, lane);
    if (barrier == nullptr || async_bytes(warp, op, copy.offset, bytes, Access::store, barrier) == nullptr) {
      return;
    }
    copy.content.resize(bytes);
    for (std::uint32_t at = 0; at < bytes; at += 16) {
      const std::byte* const part = bytes_at(warp, op, Where::global, from + at, 16, lane, Access::load, false);
      if (part == nullptr) {
        return;
      }
      std::memcpy(copy.content.data() + at, part, 16);
    }
    std::memset(group.shared.data() + copy.offset, 0xee, bytes); // nobody counts on what was there
    group.bulk_copies.push_back(std::move(copy));
    ++group.events;
  }
}

// cp.async.bulk.global.shared::cta.bulk_group [d], [a], bytes.
void bulk_to_global(Warp& warp, const Op& op)
{
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t to = warp.at<std::uint64_t>(op.d)[lane], from = shared_address(warp, op.a, op.e, lane);
    const std::uint32_t bytes = warp.at<std::uint32_t>(op.b)[lane];
    if (to % 16 != 0 || from % 16 != 0 || bytes % 16 != 0) {
      report(warp, op, FindingKind::misaligned, "a bulk copy takes places and lengths of 16 bytes");
      return;
    }
    const std::byte* const source = async_bytes(warp, op, from, bytes, Access::load, nullptr);
    for (std::uint32_t at = 0; source != nullptr && at < bytes; at += 16) {
      std::byte* const part = bytes_at(warp, op, Where::global, to + at, 16, lane, Access::store, false);
      if (part == nullptr) {
        return;
      }
      std::memcpy(part, source + at, 16);
    }
    if (source == nullptr) {
      return;
    }
    warp.bulk_loads.push_back({from, bytes, 0});
  }
}

void commit_bulk(Warp& warp, const Op&)
{
  ++warp.bulk_groups;
  for (PendingLoad& load : warp.bulk_loads) {
    load.group = load.group == 0 ? warp.bulk_groups : load.group;
  }
}

void wait_bulk(Warp& warp, const Op& op)
{
  const std::uint64_t left = static_cast<std::uint64_t>(op.imm);
  const std::uint64_t done = warp.bulk_groups > left ? warp.bulk_groups - left : 0;
  std::erase_if(warp.bulk_loads, [&](const PendingLoad& load) {
    const bool over = load.group != 0 && load.group <= done;
    if (over) {
      end_async_load(warp, load.offset, load.bytes);
    }
    return over;
  });
}

void elect(Warp& warp, const Op& op)
{
  const int leader = std::countr_zero(warp.exec);
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  each_lane(warp, [=](int lane) { d[lane] = static_cast<std::uint32_t>(leader); });
  if (op.d2 != 0) {
    Mask& p = *warp.at<Mask>(op.d2);
    p = (p & ~warp.exec) | (Mask{1} << leader);
  }
}

void take_barrier(Decoder& decoder, const ptx::Operand& operand, Op& op)
{
  op.imm = operand.offset;
  if (const Decoder::Symbol* known = decoder.symbol(operand.text)) {
    op.e = 4;
    op.a = decoder.constant(4, known->offset);
    return;
  }
  op.e = decoder.register_bytes(operand) == 8 ? 8 : 4;
  op.a = decoder.source(operand, static_cast<int>(op.e));
}

std::uint32_t shared_operand(Decoder& decoder, const ptx::Operand& operand, std::uint32_t& bytes)
{
  Op op;
  take_barrier(decoder, operand, op);
  bytes = op.e;
  return op.imm == 0 ? op.a : 0;
}

bool decode_arrival(Decoder& decoder)
{
  const bool gives = decoder.operand(0).kind != ptx::Operand::Kind::address;
  const std::size_t at = gives ? 1 : 0;
  const bool arrives = decoder.has("arrive"), expects = decoder.has("expect_tx");
  if (decoder.has("shared::cluster") || decoder.has("noComplete")) {
    return false;
  }
  Op op;
  op.run = arrive_at;
  take_barrier(decoder, decoder.operand(at), op);
  op.d = gives ? decoder.destination(8) : decoder.scratch(8);
  op.d2 = arrives ? 1 : 0;
  op.kind = expects ? 1 : 0;
  op.b = expects ? decoder.source(at + 1, 4) : 0;
  op.count = arrives && !expects && decoder.operands() > at + 1 ? 1 : 0;
  op.c = op.count != 0 ? decoder.source(at + 1, 4) : 0;
  decoder.emit(op);
  return true;
}

} // namespace

void decode_mbarrier(Decoder& decoder)
{
  const std::string_view what = decoder.part(1);
  Op op;
  if (what == "init") {
    op.run = init;
    take_barrier(decoder, decoder.operand(0), op);
    op.b = decoder.source(1, 4);
    decoder.emit(op);
  } else if (what == "inval") {
    decode_nothing(decoder);
  } else if (what == "arrive" || what == "expect_tx") {
    if (!decode_arrival(decoder)) {
      decoder.unsupported("");
    }
  } else if (what == "try_wait" || what == "test_wait") {
    op.run = wait_at;
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    take_barrier(decoder, decoder.operand(1), op);
    op.kind = decoder.has("parity") ? 1 : 0;
    op.b = decoder.source(2, op.kind != 0 ? 4 : 8);
    decoder.emit(op);
  } else {
    decoder.unsupported("");
  }
}

bool decode_bulk(Decoder& decoder)
{
  Op op;
  if (decoder.has("commit_group")) {
    decoder.emit(commit_bulk);
    return true;
  }
  if (decoder.has("wait_group")) {
    decoder.emit(wait_bulk).imm = static_cast<std::int64_t>(decoder.operand(0).bits);
    return true;
  }
  if (decoder.has("tensor") || decoder.has("multicast::cluster") || decoder.has("prefetch") || decoder.has("reduce")) {
    return false;
  }
  std::uint32_t first = 4, second = 4;
  if (decoder.has("mbarrier::complete_tx::bytes") && decoder.part(4) == "global") {
    op.run = bulk_to_shared;
    op.d = shared_operand(decoder, decoder.operand(0), first);
    op.a = decoder.source(1, 8);
    op.b = decoder.source(2, 4);
    op.c = shared_operand(decoder, decoder.operand(3), second);
    op.e = first | (second << 4);
    if (op.d == 0 || op.c == 0 || decoder.operand(1).offset != 0) {
      return false;
    }
  } else if (decoder.has("bulk_group") && decoder.part(3) == "global") {
    op.run = bulk_to_global;
    op.d = decoder.source(0, 8);
    op.a = shared_operand(decoder, decoder.operand(1), first);
    op.b = decoder.source(2, 4);
    op.e = first;
    if (op.a == 0 || decoder.operand(0).offset != 0) {
      return false;
    }
  } else {
    return false;
  }
  decoder.emit(op);
  return true;
}

void decode_fence(Decoder& decoder)
{
  if (decoder.has("proxy")) {
    decoder.has("async") ? void(decoder.emit(fence_proxies)) : decoder.unsupported("");
    return;
  }
  decode_nothing(decoder);
}

void decode_elect(Decoder& decoder)
{
  Op op;
  op.run = elect;
  op.d = decoder.destination(4);
  op.d2 = decoder.operand(0).second.empty() ? 0 : decoder.predicate_destination(decoder.operand(0).second);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
