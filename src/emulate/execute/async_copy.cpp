// cp.async: copies from global to shared memory that are done at some time before they are waited for. They are done
// here when a wait requires them, as late as a device may do them: who looks earlier sees what was there before.
#include "emulate/execute/async_copy.h"

#include "emulate/execute/bulk.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/memory_access.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

namespace hone::emulate::execute {

namespace {

// cp.async.cg.shared.global [d], [a], bytes, size; count 1: lanes b hold how many bytes come from memory, the rest is
// 0.
void begin_copy(Warp& warp, const Op& op)
{
  std::vector<Stretch> stretches; // of what is counted
  std::array<std::uint64_t, k_lanes> places{};
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = [&](std::uint32_t at, std::uint32_t bytes) {
      return bytes == 4 ? std::uint64_t{warp.at<std::uint32_t>(at)[lane]} : warp.at<std::uint64_t>(at)[lane];
    };
    const std::uint64_t to =
      (address(op.d, op.kind & 15) + static_cast<std::uint64_t>(op.imm & 0xffffffff)) & ~k_window_mask;
    const std::uint64_t from = address(op.a, 8) + (static_cast<std::uint64_t>(op.imm) >> 32);
    const std::uint32_t taken =
      op.count == 0 ? op.bytes : std::min<std::uint32_t>(op.bytes, warp.at<std::uint32_t>(op.b)[lane]);
    AsyncCopy copy;
    copy.offset = to;
    copy.bytes = op.bytes;
    copy.lane = lane;
    copy.place = op.place;
    if (taken > 0) {
      if (from % op.bytes != 0) {
        report(warp, op, FindingKind::misaligned, "the source of an asynchronous copy");
        return;
      }
      // Bytes one by one where the copy is short: no access beyond them.
      for (std::uint32_t i = 0; i < taken; i += 4) {
        const std::byte* const part = bytes_at(warp, op, Where::global, from + i, 4, lane, Access::load, false);
        if (part == nullptr) {
          return;
        }
        std::memcpy(copy.content.data() + i, part, std::min<std::uint32_t>(4, taken - i));
      }
    }
    if (bytes_at(warp, op, Where::shared, to, op.bytes, lane, Access::store, false) == nullptr) {
      return;
    }
    if (counted(warp, op) != nullptr) {
      stretches.push_back({from, taken});
      places[static_cast<std::size_t>(lane)] = to;
    }
    mark_pending(warp, copy);
    warp.copies.push_back(copy);
  }
  count_global(warp, op, stretches, Access::load, true);
  count_access(warp, op, Where::shared, places, op.bytes, Access::store);
}

void commit_group(Warp& warp, const Op&)
{
  // Of each lane its own: lanes of a warp go together here, as they do where they do not part.
  ++warp.copy_groups;
  for (AsyncCopy& copy : warp.copies) {
    copy.group = copy.group == 0 ? warp.copy_groups : copy.group;
  }
}

// imm: so many of the newest groups may go on; -1: nothing may, committed or not.
void wait_group(Warp& warp, const Op& op)
{
  const std::uint64_t newest = warp.copy_groups;
  const std::uint64_t done = op.imm < 0                                    ? std::numeric_limits<std::uint64_t>::max()
                             : newest > static_cast<std::uint64_t>(op.imm) ? newest - static_cast<std::uint64_t>(op.imm)
                                                                           : 0;
  std::erase_if(warp.copies, [&](const AsyncCopy& copy) {
    const bool over = ((warp.exec >> copy.lane) & 1) != 0 && (op.imm < 0 || (copy.group != 0 && copy.group <= done));
    if (over) {
      std::memcpy(warp.group->shared.data() + copy.offset, copy.content.data(), copy.bytes);
      mark_done(warp, copy);
    }
    return over;
  });
}

// cp.async.mbarrier.arrive: what each lane has begun is done for the mbarrier's phase, which its arrival may end; count
// 1: that arrival was reckoned with (.noinc). Only who waits for the phase may know of the bytes, whenever they come.
void arrive_behind_copies(Warp& warp, const Op& op)
{
  Group& group = *warp.group;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto [place, barrier] = barrier_at(warp, op, LaneOperand{op.a, op.e, op.imm}.of(warp, lane), lane);
    if (barrier == nullptr) {
      return;
    }
    if (op.count != 0 && barrier->pending == 0) {
      report(warp, op, FindingKind::divergence, "more arrivals at the mbarrier than its count");
      return;
    }
    std::erase_if(warp.copies, [&, barrier = barrier](const AsyncCopy& copy) {
      if (copy.lane != lane) {
        return false;
      }
      std::memcpy(group.shared.data() + copy.offset, copy.content.data(), copy.bytes);
      if (!group.shared_shadow.empty()) {
        group.shared_shadow.cells(copy.offset, copy.bytes, [&](Cell& cell) {
          cell.store.warp = group.cluster->first_actor + barrier->actor;
          cell.store.clock = barrier->phase + 1;
        });
      }
      return true;
    });
    learn(barrier->arriving, warp.clock);
    barrier->pending -= op.count;
    look_at_phase(*place.group, *barrier);
  }
  warp.advance();
}

} // namespace

void decode_async_copy(Decoder& decoder)
{
  if (decoder.has("bulk")) {
    if (!decode_bulk(decoder)) {
      decoder.unsupported("");
    }
    return;
  }
  Op op;
  if (decoder.has("mbarrier") && decoder.has("arrive")) {
    const LaneOperand at = lane_operand(decoder, decoder.operand(0));
    op.run = arrive_behind_copies;
    op.a = at.at;
    op.e = at.bytes;
    op.imm = at.offset;
    op.count = decoder.has("noinc") ? 1 : 0;
    decoder.emit(op);
    return;
  }
  if (decoder.has("commit_group")) {
    decoder.emit(commit_group);
    return;
  }
  if (decoder.has("wait_all") || decoder.has("wait_group")) {
    const std::int64_t left = decoder.has("wait_all") ? -1 : static_cast<std::int64_t>(decoder.operand(0).bits);
    decoder.emit(wait_group).imm = left;
    return;
  }
  const ptx::Operand& to = decoder.operand(0);
  const ptx::Operand& from = decoder.operand(1);
  const auto bytes = decoder.operand(2).bits;
  const bool plain = decoder.has("async") && (decoder.has("ca") || decoder.has("cg")) && !decoder.has("bulk")
                     && !decoder.has("mbarrier") && to.offset >= 0 && from.offset >= 0;
  if (!plain || (bytes != 4 && bytes != 8 && bytes != 16)) {
    decoder.unsupported("");
    return;
  }
  op.bytes = static_cast<std::uint8_t>(bytes);
  const int width = decoder.register_bytes(to);
  op.kind = static_cast<std::uint8_t>(width == 8 ? 8 : 4);
  const Decoder::Symbol* const symbol = decoder.symbol(to.text);
  op.d = symbol != nullptr ? decoder.constant(4, symbol->offset) : decoder.source(to, op.kind);
  op.a = decoder.source(from, 8);
  op.imm = (from.offset << 32) | (to.offset & 0xffffffff);
  op.count = decoder.operands() > 3 ? 1 : 0;
  op.b = decoder.operands() > 3 ? decoder.source(3, 4) : 0;
  op.run = begin_copy;
  decoder.emit(op);
}

} // namespace hone::emulate::execute
