// What groups of a cluster share: a barrier, and addresses of each other's shared memory.
#include "emulate/execute/cluster.h"

#include "emulate/execute/lanes.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/order.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::emulate::execute {

namespace {

// kind 1: relaxed, it tells only of what stands before a fence.
void arrive_at_cluster(Warp& warp, const Op& op)
{
  if (loses_turns(warp)) {
    return;
  }
  Cluster& cluster = *warp.group->cluster;
  if ((warp.exec & (warp.cluster.arrived | warp.cluster.passed)) != 0) {
    report(warp, op, FindingKind::divergence, "items arrive twice at the cluster's barrier without a wait");
    return;
  }
  warp.cluster.arrived |= warp.exec;
  cluster.barrier_place = op.place;
  if (op.kind == 0) {
    learn(cluster.arriving, warp.clock);
  } else {
    Known begun;
    begun.near.assign(warp.clock.near.size(), 0);
    begun.near[warp.actor] = 1; // the warp has begun, whatever it stored
    learn(static_cast<Known&>(cluster.arriving), begun);
    learn(static_cast<Known&>(cluster.arriving), warp.clock.fenced[k_scope_cluster - 1]);
  }
  warp.advance();
  look_at_cluster_barrier(cluster);
}

void wait_at_cluster(Warp& warp, const Op& op)
{
  if (loses_turns(warp)) {
    return;
  }
  const Mask strange = warp.exec & ~(warp.cluster.arrived | warp.cluster.passed);
  if (strange != 0) {
    report(warp, op, FindingKind::divergence,
           fmt::format("lanes {:#010x} wait at the cluster's barrier and have not arrived at it", strange));
    return;
  }
  // Lanes that met here may be in different phases: some go on, the others wait for theirs.
  const Mask over = warp.exec & warp.cluster.passed;
  if (over != 0) {
    warp.cluster.passed &= ~over;
    learn(warp.clock, warp.group->cluster->released);
    warp.advance();
  }
  if (over != warp.exec) {
    warp.exec &= ~over;
    stop_at_barrier(warp, k_cluster_barrier);
  }
}

// mapa: a, and b's rank; bytes: 4 or 8, kind 1: a generic address.
template <class T> void map_address(Warp& warp, const Op& op)
{
  const auto ranks = warp.group->cluster->groups.size();
  const T* const a = warp.at<T>(op.a);
  const std::uint32_t* const rank = warp.at<std::uint32_t>(op.b);
  T* const d = warp.at<T>(op.d);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = a[lane] + static_cast<std::uint64_t>(op.imm);
    if (rank[lane] >= ranks) {
      report(warp, op, FindingKind::out_of_bounds, fmt::format("block {} of a cluster of {}", rank[lane], ranks));
      return;
    }
    const std::uint64_t offset = address & ((std::uint64_t{1} << k_rank_shift) - 1);
    const std::uint64_t out = offset | (std::uint64_t{rank[lane]} + 1) << k_rank_shift;
    d[lane] = static_cast<T>(op.kind != 0 ? out | k_shared_window : out);
  }
}

// getctarank: of a (kind as mapa).
template <class T> void rank_of_address(Warp& warp, const Op& op)
{
  const T* const a = warp.at<T>(op.a);
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  each_lane(warp, [&](int lane) {
    const std::uint64_t rank = (std::uint64_t{a[lane]} & ~k_window_mask) >> k_rank_shift;
    d[lane] = rank == 0 ? warp.group->rank : static_cast<std::uint32_t>(rank - 1);
  });
}

// isspacep.shared::cta: of addresses of other groups it is false.
void is_own_shared(Warp& warp, const Op& op)
{
  const std::uint64_t* const a = warp.at<std::uint64_t>(op.a);
  Mask out = 0;
  for (int lane = 0; lane < k_lanes; ++lane) {
    const std::uint64_t rank = (a[lane] & ~k_window_mask) >> k_rank_shift;
    const bool own = (a[lane] & k_window_mask) == k_shared_window && (rank == 0 || rank - 1 == warp.group->rank);
    out |= Mask{own} << lane;
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (out & warp.exec);
}

} // namespace

void look_at_cluster_barrier(Cluster& cluster)
{
  bool somebody = false;
  for (const auto& group : cluster.groups) {
    for (const Warp& warp : group->warps) {
      if ((warp.alive & ~warp.cluster.arrived) != 0) {
        return;
      }
      somebody = somebody || warp.alive != 0;
    }
  }
  if (!somebody) {
    return;
  }
  cluster.released = std::move(cluster.arriving);
  cluster.arriving = {};
  ++cluster.launch->events;
  for (const auto& group : cluster.groups) {
    for (Warp& warp : group->warps) {
      warp.cluster.passed = std::exchange(warp.cluster.arrived, 0);
      bool waits = false;
      for (Fragment& fragment : warp.others) {
        if (fragment.barrier == k_cluster_barrier) {
          fragment.barrier = -1;
          warp.cluster.passed &= ~fragment.mask;
          waits = true;
        }
      }
      if (waits) {
        learn(warp.clock, cluster.released);
        warp.advance();
      }
    }
  }
}

void look_at_leaving(Group& group)
{
  group.left = true;
  Warp& last = group.warps.front();
  if (!group.bulk_copies.empty()) {
    Op op;
    op.place = group.bulk_copies.front().place;
    report(
      last, op, FindingKind::race,
      fmt::format("begins a copy to shared memory of {}, which leaves and has not waited for it", group_text(group)));
  }
  for (std::size_t i = 0; i < group.visitors.size(); ++i) {
    const Actor& visitor = group.visitors[i];
    const bool known = visitor.warp == 0 || std::ranges::any_of(group.warps, [&](const Warp& warp) {
                         return visitor.clock <= warp.clock.near[i];
                       });
    if (!known && group.launch->request->checks) {
      Op op;
      op.place = visitor.place;
      report(last, op, FindingKind::race,
             fmt::format("uses shared memory of {}, which leaves without an order behind it", group_text(group)));
    }
  }
}

void decode_cluster_barrier(Decoder& decoder)
{
  const bool arrives = decoder.has("arrive");
  if (arrives == decoder.has("wait")) {
    decoder.unsupported("");
    return;
  }
  decoder.emit(arrives ? arrive_at_cluster : wait_at_cluster).kind = decoder.has("relaxed") ? 1 : 0;
}

// mapa.shared::cluster.u32 d, a, b; a may be a variable. mapa.u64 takes and gives generic addresses.
void decode_map_address(Decoder& decoder)
{
  const bool wide = decoder.type() == "u64";
  const ptx::Operand& from = decoder.operand(1);
  const Decoder::Symbol* const known = decoder.symbol(from.text);
  if ((!wide && decoder.type() != "u32") || (known != nullptr && known->space != ptx::Space::shared)) {
    decoder.unsupported("");
    return;
  }
  Op op;
  op.run = wide ? map_address<std::uint64_t> : map_address<std::uint32_t>;
  op.kind = decoder.has("shared::cluster") ? 0 : 1;
  op.d = decoder.destination(wide ? 8 : 4);
  op.a = known != nullptr ? decoder.constant(wide ? 8 : 4, known->offset) : decoder.source(1, wide ? 8 : 4);
  op.imm = from.offset;
  op.b = decoder.source(2, 4);
  decoder.emit(op);
}

void decode_rank_of_address(Decoder& decoder)
{
  const bool wide = decoder.type() == "u64";
  Op op;
  op.run = wide ? rank_of_address<std::uint64_t> : rank_of_address<std::uint32_t>;
  op.d = decoder.destination(4);
  op.a = decoder.source(1, wide ? 8 : 4);
  decoder.emit(op);
}

void decode_question_of_space(Decoder& decoder)
{
  if (!decoder.has("shared") && !decoder.has("shared::cta")) {
    decode_convert_address(decoder);
    return;
  }
  Op op;
  op.run = is_own_shared;
  op.d = decoder.predicate_destination(decoder.operand(0).text);
  op.a = decoder.source(1, 8);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
