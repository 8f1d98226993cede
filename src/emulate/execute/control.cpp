// Branches, returns, barriers of a group, and what lanes of a warp exchange.
#include "emulate/execute/lanes.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace hone::emulate::execute {

namespace {

void branch(Warp& warp, const Op& op)
{
  const Mask taken = warp.exec;
  const Mask stay = warp.now.mask & ~taken;
  if (stay == 0) {
    warp.jump = op.target;
    return;
  }
  if (!warp.group->launch->lines.empty()) {
    ++warp.group->launch->lines[op.place].parted;
  }
  split(warp, stay, warp.jump);
  warp.now.mask = taken;
  warp.jump = op.target;
}

void leave(Warp& warp, const Op&)
{
  const Mask left = warp.exec;
  warp.alive &= ~left;
  warp.now.mask &= ~left;
}

void trap(Warp& warp, const Op& op)
{
  report(warp, op, FindingKind::trap, "the program stops itself");
}

void nothing(Warp&, const Op&) {}

void sleep(Warp& warp, const Op&)
{
  warp.turn_over = true;
}

std::uint32_t barrier_number(const Warp& warp, const Op& op)
{
  const int lane = std::countr_zero(warp.exec);
  return op.kind != 0 ? static_cast<std::uint32_t>(op.imm) : warp.at<std::uint32_t>(op.a)[lane];
}

// bar.sync a[, b]: kind 1: the number is imm, else lanes a; count 1: lanes b hold the number of items. bar.red: the
// predicate c, where bytes is 2 negated.
void wait_at_barrier(Warp& warp, const Op& op)
{
  if (loses_turns(warp)) {
    return;
  }
  const int lane = std::countr_zero(warp.exec);
  const std::uint32_t number = barrier_number(warp, op);
  const std::uint32_t items = op.count == 0 ? 0 : warp.at<std::uint32_t>(op.b)[lane];
  if (number >= k_named_barriers) {
    report(warp, op, FindingKind::divergence, fmt::format("barrier {} is none of 16", number));
    return;
  }
  if (op.c != 0) {
    const Mask holds = *warp.at<Mask>(op.c);
    Barrier& barrier = warp.group->barriers[number];
    barrier.yes += static_cast<std::uint32_t>(std::popcount(warp.exec & (op.bytes == 2 ? ~holds : holds)));
    barrier.items += static_cast<std::uint32_t>(std::popcount(warp.exec));
  }
  arrive(warp, op, number, items, op.d2 == 0);
}

enum class BarrierResult : std::uint8_t { popc, all, any };

// What came of bar.red: count: BarrierResult.
void take_barrier_result(Warp& warp, const Op& op)
{
  const Barrier& barrier = warp.group->barriers[barrier_number(warp, op)];
  const auto how = static_cast<BarrierResult>(op.count);
  if (how == BarrierResult::popc) {
    std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
    each_lane(warp, [&](int lane) { d[lane] = barrier.last_yes; });
    return;
  }
  const bool holds = how == BarrierResult::all ? barrier.last_yes == barrier.last_items : barrier.last_yes > 0;
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (holds ? warp.exec : 0);
}

// --- exchange between lanes ---

// Lanes that come together with different members, in e, are groups of their own.
template <Handler Exchange> void by_members(Warp& warp, const Op& op)
{
  const Mask all = warp.exec;
  const Mask* const members = warp.at<Mask>(op.e);
  const Mask first = members[std::countr_zero(all)];
  Mask missing = 0, others = 0;
  each_lane(warp, [&](int lane) {
    missing |= members[lane] & warp.alive & ~warp.now.mask;
    others |= members[lane] ^ first;
  });
  if (missing != 0) {
    wait_for_lanes(warp);
    return;
  }
  if (others == 0) {
    Exchange(warp, op);
    return;
  }
  for (Mask rest = all; rest != 0;) {
    const Mask own = members[std::countr_zero(rest)];
    warp.exec = 0;
    for (Mask look = rest; look != 0; look &= look - 1) {
      const int lane = std::countr_zero(look);
      warp.exec |= members[lane] == own ? Mask{1} << lane : 0;
    }
    rest &= ~warp.exec;
    Exchange(warp, op);
  }
  warp.exec = all;
}

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

// d|p, a, b, c, members in e. d2: the predicate or 0.
void shuffle(Warp& warp, const Op& op)
{
  const Mask members = warp.at<Mask>(op.e)[std::countr_zero(warp.exec)];
  if (!together(warp, op, members)) {
    return;
  }
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  std::uint32_t out[k_lanes] = {};
  Mask inside = 0;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int segment = static_cast<int>((c[lane] >> 8) & 31), clamp = static_cast<int>(c[lane] & 31);
    const int highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    const int by = static_cast<int>(b[lane] & 31);
    int from = lane;
    bool fits = false;
    switch (static_cast<Shuffle>(op.kind)) {
    case Shuffle::up:
      from = lane - by;
      fits = from >= highest;
      break;
    case Shuffle::down:
      from = lane + by;
      fits = from <= highest;
      break;
    case Shuffle::bfly:
      from = lane ^ by;
      fits = from <= highest;
      break;
    case Shuffle::idx:
      from = lowest | (by & ~segment);
      fits = from <= highest;
      break;
    }
    from = fits ? from : lane;
    if (((warp.exec >> from) & 1) == 0) {
      report(warp, op, FindingKind::wrong_mask,
             fmt::format("lane {} reads from lane {}, which does not take part", lane, from));
      return;
    }
    out[lane] = a[from];
    inside |= Mask{fits} << lane;
  }
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  each_lane(warp, [&](int lane) { d[lane] = out[lane]; });
  if (op.d2 != 0) {
    Mask& p = *warp.at<Mask>(op.d2);
    p = (p & ~warp.exec) | (inside & warp.exec);
  }
}

enum class Vote : std::uint8_t { all, any, uni, ballot };

// a: the predicate (count 1: negated), e: members.
void vote(Warp& warp, const Op& op)
{
  const Mask members = warp.at<Mask>(op.e)[std::countr_zero(warp.exec)];
  if (!together(warp, op, members)) {
    return;
  }
  const Mask yes = (op.count != 0 ? ~*warp.at<Mask>(op.a) : *warp.at<Mask>(op.a)) & warp.exec;
  const auto how = static_cast<Vote>(op.kind);
  if (how == Vote::ballot) {
    std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
    each_lane(warp, [=](int lane) { d[lane] = yes; });
    return;
  }
  const bool result = how == Vote::all ? yes == warp.exec : how == Vote::any ? yes != 0 : yes == 0 || yes == warp.exec;
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (result ? warp.exec : 0);
}

// match: e: members; kind 1: all of them or none, d2: whether it was all.
template <class T> void match(Warp& warp, const Op& op)
{
  const Mask members = warp.at<Mask>(op.e)[std::countr_zero(warp.exec)];
  if (!together(warp, op, members)) {
    return;
  }
  const T* const a = warp.at<T>(op.a);
  std::uint32_t out[k_lanes] = {};
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (Mask others = warp.exec; others != 0; others &= others - 1) {
      const int other = std::countr_zero(others);
      out[lane] |= Mask{a[other] == a[lane]} << other;
    }
  }
  const bool all = out[std::countr_zero(warp.exec)] == warp.exec;
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  each_lane(warp, [&](int lane) { d[lane] = op.kind == 0 || all ? out[lane] : 0; });
  if (op.d2 != 0) {
    Mask& p = *warp.at<Mask>(op.d2);
    p = (p & ~warp.exec) | (all ? warp.exec : 0);
  }
}

void active_mask(Warp& warp, const Op& op)
{
  const Mask now = warp.exec;
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  each_lane(warp, [=](int lane) { d[lane] = now; });
}

void warp_barrier(Warp& warp, const Op& op)
{
  together(warp, op, warp.at<Mask>(op.a)[std::countr_zero(warp.exec)]);
}

template <class T> void reduce(Warp& warp, const Op& op)
{
  const Mask members = warp.at<Mask>(op.e)[std::countr_zero(warp.exec)];
  if (!together(warp, op, members)) {
    return;
  }
  const T* const a = warp.at<T>(op.a);
  T out = a[std::countr_zero(warp.exec)];
  for (Mask rest = warp.exec & (warp.exec - 1); rest != 0; rest &= rest - 1) {
    const T value = a[std::countr_zero(rest)];
    switch (op.kind) {
    case 0:
      out = static_cast<T>(static_cast<std::uint32_t>(out) + static_cast<std::uint32_t>(value));
      break;
    case 1:
      out = std::min(out, value);
      break;
    case 2:
      out = std::max(out, value);
      break;
    case 3:
      out = static_cast<T>(out & value);
      break;
    case 4:
      out = static_cast<T>(out | value);
      break;
    default:
      out = static_cast<T>(out ^ value);
      break;
    }
  }
  T* const d = warp.at<T>(op.d);
  each_lane(warp, [=](int lane) { d[lane] = out; });
}

int position_of(const Decoder& decoder, std::initializer_list<std::string_view> words)
{
  int at = 0;
  for (const std::string_view word : words) {
    if (decoder.has(word)) {
      return at;
    }
    ++at;
  }
  return -1;
}

} // namespace

void decode_branch(Decoder& decoder)
{
  if (decoder.name() != "bra") {
    decoder.unsupported("");
    return;
  }
  decoder.emit(branch);
  decoder.label(decoder.operand(0).text);
}

void decode_leave(Decoder& decoder)
{
  decoder.emit(leave);
}

void decode_return(Decoder& decoder)
{
  decoder.is_in_function() ? decode_call_return(decoder) : decode_leave(decoder);
}

void decode_trap(Decoder& decoder)
{
  decoder.emit(trap);
}

void decode_nothing(Decoder& decoder)
{
  if (decoder.has("proxy")) {
    decoder.unsupported("");
    return;
  }
  decoder.emit(nothing);
}

void decode_sleep(Decoder& decoder)
{
  decoder.emit(sleep);
}

// Registers move between warps; the emulator has as many as are asked for.
void decode_register_count(Decoder& decoder)
{
  const std::uint64_t count = decoder.operand(0).bits;
  if ((!decoder.has("inc") && !decoder.has("dec")) || count < 24 || count > 256 || count % 8 != 0) {
    decoder.unsupported("");
    return;
  }
  decoder.emit(nothing);
}

void decode_barrier(Decoder& decoder)
{
  Op op;
  if (decoder.has("warp")) {
    op.run = warp_barrier;
    op.a = decoder.source(0, 4);
    decoder.emit(op);
    return;
  }
  if (decoder.has("cluster")) {
    decode_cluster_barrier(decoder);
    return;
  }
  const bool sync = decoder.has("sync"), only_arrives = decoder.has("arrive"), reduces = decoder.has("red");
  if (!sync && !only_arrives && !reduces) {
    decoder.unsupported("");
    return;
  }
  // bar.red.popc.u32 d, a[, b], {!}c
  const std::size_t first = reduces ? 1 : 0, behind = decoder.operands() - (reduces ? 1 : 0);
  op.run = wait_at_barrier;
  op.d2 = only_arrives ? 1 : 0;
  if (decoder.operands() == 0 || decoder.operand(first).kind == ptx::Operand::Kind::integer) {
    op.kind = 1;
    op.imm = static_cast<std::int64_t>(decoder.operand(first).bits);
  } else {
    op.a = decoder.source(first, 4);
  }
  op.count = behind > first + 1 ? 1 : 0;
  op.b = behind > first + 1 ? decoder.source(first + 1, 4) : 0;
  if (!reduces) {
    decoder.emit(op);
    return;
  }
  bool negated = false;
  op.c = decoder.predicate(decoder.operand(behind), negated);
  op.bytes = negated ? 2 : 1;
  decoder.emit(op);
  const auto how = decoder.has("popc")  ? BarrierResult::popc
                   : decoder.has("and") ? BarrierResult::all
                                        : BarrierResult::any;
  op.run = take_barrier_result;
  op.count = static_cast<std::uint8_t>(how);
  op.d = how == BarrierResult::popc ? decoder.destination(4) : decoder.predicate_destination(decoder.operand(0).text);
  decoder.emit(op);
}

// match.any.sync.b32 d, a, members; match.all.sync.b32 d|p, a, members
void decode_match(Decoder& decoder)
{
  Op op;
  const bool wide = decoder.type() == "b64";
  if (!decoder.has("sync") || (!decoder.has("any") && !decoder.has("all"))) {
    decoder.unsupported("");
    return;
  }
  op.run = wide ? by_members<match<std::uint64_t>> : by_members<match<std::uint32_t>>;
  op.kind = decoder.has("all") ? 1 : 0;
  op.d = decoder.destination(4);
  op.d2 = decoder.operand(0).second.empty() ? 0 : decoder.predicate_destination(decoder.operand(0).second);
  op.a = decoder.source(1, wide ? 8 : 4);
  op.e = decoder.source(2, 4);
  decoder.emit(op);
}

void decode_shuffle(Decoder& decoder)
{
  const int kind = position_of(decoder, {"up", "down", "bfly", "idx"});
  if (kind < 0 || !decoder.has("sync")) {
    decoder.unsupported("");
    return;
  }
  Op op;
  op.run = by_members<shuffle>;
  op.kind = static_cast<std::uint8_t>(kind);
  op.d = decoder.destination(4);
  op.d2 = decoder.operand(0).second.empty() ? 0 : decoder.predicate_destination(decoder.operand(0).second);
  op.a = decoder.source(1, 4);
  op.b = decoder.source(2, 4);
  op.c = decoder.source(3, 4);
  op.e = decoder.source(4, 4);
  decoder.emit(op);
}

void decode_vote(Decoder& decoder)
{
  const int kind = position_of(decoder, {"all", "any", "uni", "ballot"});
  if (kind < 0 || !decoder.has("sync")) {
    decoder.unsupported("");
    return;
  }
  Op op;
  bool negated = false;
  op.run = by_members<vote>;
  op.kind = static_cast<std::uint8_t>(kind);
  op.d = kind == 3 ? decoder.destination(4) : decoder.predicate_destination(decoder.operand(0).text);
  op.a = decoder.predicate(decoder.operand(1), negated);
  op.count = negated ? 1 : 0;
  op.e = decoder.source(2, 4);
  decoder.emit(op);
}

void decode_active_mask(Decoder& decoder)
{
  Op op;
  op.run = active_mask;
  op.d = decoder.destination(4);
  decoder.emit(op);
}

void decode_reduce(Decoder& decoder)
{
  const int kind = position_of(decoder, {"add", "min", "max", "and", "or", "xor"});
  const std::string_view type = decoder.type();
  if (kind < 0 || (type != "s32" && type != "u32" && type != "b32")) {
    decoder.unsupported("");
    return;
  }
  Op op;
  op.run = type == "s32" ? by_members<reduce<std::int32_t>> : by_members<reduce<std::uint32_t>>;
  op.kind = static_cast<std::uint8_t>(kind);
  op.d = decoder.destination(4);
  op.a = decoder.source(1, 4);
  op.e = decoder.source(2, 4);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
