// mbarrier objects: arrivals, bytes that are expected, waits.
#include "emulate/execute/bulk.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hone::emulate::execute {

BarrierPlace barrier_at(Warp& warp, const Op& op, std::uint64_t address, int lane)
{
  if (bytes_at(warp, op, Where::cluster, address, 8, lane, Access::atomic, false) == nullptr) {
    return {};
  }
  const SharedPlace place = shared_place(warp, op, address, 8, lane, Access::atomic);
  const auto found = place.group->mbarriers.find(place.offset);
  if (found == place.group->mbarriers.end()) {
    report(warp, op, FindingKind::uninitialised, fmt::format("the mbarrier at {} was not initialised", place.offset));
    return {};
  }
  return {place, &found->second};
}

void look_at_phase(Group& group, MBarrier& barrier)
{
  ++group.launch->events;
  if (barrier.pending == 0 && barrier.bytes == 0) {
    ++barrier.phase;
    barrier.pending = barrier.count;
    learn(barrier.released, barrier.arriving);
    barrier.arriving = {};
  }
}

void let_bytes_come(Group& group, std::uint64_t barrier_offset)
{
  const auto found = std::ranges::find(group.bulk_copies, barrier_offset, &BulkCopy::barrier);
  if (found == group.bulk_copies.end()) {
    return;
  }
  apply_update(group.shared.data() + found->offset, found->content.data(), found->content.size(),
               static_cast<BulkUpdate>(found->update), static_cast<BulkNumber>(found->number));
  MBarrier& barrier = group.mbarriers.at(barrier_offset);
  barrier.bytes -= static_cast<std::int64_t>(found->content.size());
  group.bulk_copies.erase(found);
  look_at_phase(group, barrier);
}

namespace {

// Where the barrier of an operation lies: lanes a of e bytes, plus imm.
std::uint64_t barrier_address(const Warp& warp, const Op& op, int lane)
{
  return LaneOperand{op.a, op.e, op.imm}.of(warp, lane);
}

void take_barrier(Decoder& decoder, const ptx::Operand& operand, Op& op)
{
  const LaneOperand at = lane_operand(decoder, operand);
  op.a = at.at;
  op.e = at.bytes;
  op.imm = at.offset;
}

void init(Warp& warp, const Op& op)
{
  Group& group = *warp.group;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset = barrier_address(warp, op, lane) & ~k_window_mask;
    if (bytes_at(warp, op, Where::shared, offset, 8, lane, Access::store, false) == nullptr) {
      return;
    }
    const auto known = group.mbarriers.find(offset);
    const std::size_t number = group.mbarriers.size();
    if (known == group.mbarriers.end() && number >= k_most_mbarriers) {
      report(warp, op, FindingKind::unsupported, fmt::format("more than {} mbarriers", k_most_mbarriers));
      return;
    }
    MBarrier barrier;
    barrier.actor = known != group.mbarriers.end()
                      ? known->second.actor
                      : static_cast<std::uint32_t>(group.cluster->warps + group.rank * k_most_mbarriers + number);
    barrier.count = barrier.pending = warp.at<std::uint32_t>(op.b)[lane];
    group.mbarriers[offset] = std::move(barrier);
  }
}

// kind 1: lanes b hold bytes that are expected; count 1: lanes c hold how many arrive; d2 1: an arrival, else bytes
// only. bytes 1: relaxed, 2: the bytes have come (complete_tx).
void arrive_at(Warp& warp, const Op& op)
{
  if (loses_turns(warp)) {
    return;
  }
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto [place, barrier] = barrier_at(warp, op, barrier_address(warp, op, lane), lane);
    if (barrier == nullptr) {
      return;
    }
    warp.at<std::uint64_t>(op.d)[lane] = barrier->phase;
    const std::int64_t bytes = op.kind != 0 ? warp.at<std::uint32_t>(op.b)[lane] : 0;
    barrier->bytes += op.bytes == 2 ? -bytes : bytes;
    if (op.d2 != 0) {
      const std::uint32_t arrivals = op.count != 0 ? warp.at<std::uint32_t>(op.c)[lane] : 1;
      if (arrivals > barrier->pending) {
        report(warp, op, FindingKind::divergence,
               fmt::format("more arrivals at the mbarrier than its count of {}", barrier->count));
        return;
      }
      if (op.bytes == 0) {
        learn(barrier->arriving, warp.clock);
      } else {
        learn(static_cast<Known&>(barrier->arriving), warp.clock.fenced[k_scope_cluster - 1]);
      }
      barrier->pending -= arrivals;
    }
    look_at_phase(*place.group, *barrier);
  }
  warp.advance();
}

// kind 1: lanes b hold a parity, else the state of an arrival; count 1: relaxed. d: a predicate.
void wait_at(Warp& warp, const Op& op)
{
  if (loses_turns(warp)) {
    return;
  }
  Mask done = 0;
  bool in_vain = false;
  std::uint64_t last = 0;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto [place, barrier] = barrier_at(warp, op, barrier_address(warp, op, lane), lane);
    if (barrier == nullptr) {
      return;
    }
    if (place.group != warp.group) {
      report(warp, op, FindingKind::unsupported, "a wait at another block's mbarrier; a device has none");
      return;
    }
    const bool over = op.kind != 0 ? (barrier->phase & 1) != warp.at<std::uint32_t>(op.b)[lane]
                                   : barrier->phase > warp.at<std::uint64_t>(op.b)[lane];
    if (over) {
      done |= Mask{1} << lane;
      if (op.count == 0) {
        learn(warp.clock, barrier->released);
      }
      std::uint32_t& known = warp.clock.near[barrier->actor];
      known = std::max(known, barrier->phase);
    } else {
      in_vain = true;
      last = place.offset;
    }
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | done;
  if (in_vain) {
    Launch& launch = *warp.group->launch;
    const bool later =
      launch.request->delays && launch.random() % 2 == 0
      && std::ranges::find(warp.group->bulk_copies, last, &BulkCopy::barrier) != warp.group->bulk_copies.end();
    if (later) {
      ++launch.events; // it comes
    } else {
      let_bytes_come(*warp.group, last);
    }
    warp.yields = true;
    warp.waits_at = last;
    warp.waits_place = op.place;
  } else {
    warp.waits_place = 0;
    ++warp.group->launch->events;
  }
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

bool decode_arrival(Decoder& decoder)
{
  const bool gives = decoder.operand(0).kind != ptx::Operand::Kind::address;
  const std::size_t at = gives ? 1 : 0;
  const bool arrives = decoder.has("arrive"), expects = decoder.has("expect_tx") || decoder.has("complete_tx");
  if (decoder.has("noComplete")) {
    return false;
  }
  Op op;
  op.run = arrive_at;
  take_barrier(decoder, decoder.operand(at), op);
  op.d = gives ? decoder.destination(8) : decoder.scratch(8);
  op.d2 = arrives ? 1 : 0;
  op.kind = expects ? 1 : 0;
  op.bytes = decoder.has("relaxed") ? 1 : decoder.has("complete_tx") ? 2 : 0;
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
  } else if (what == "arrive" || what == "expect_tx" || what == "complete_tx") {
    if (!decode_arrival(decoder)) {
      decoder.unsupported("");
    }
  } else if (what == "try_wait" || what == "test_wait") {
    op.run = wait_at;
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    take_barrier(decoder, decoder.operand(1), op);
    op.kind = decoder.has("parity") ? 1 : 0;
    op.count = decoder.has("relaxed") ? 1 : 0;
    op.b = decoder.source(2, op.kind != 0 ? 4 : 8);
    decoder.emit(op);
  } else {
    decoder.unsupported("");
  }
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
