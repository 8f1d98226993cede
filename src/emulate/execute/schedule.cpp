#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::emulate::execute {

namespace {

bool is_complete(const Group& group, const Barrier& barrier)
{
  std::uint32_t items = 0;
  for (const Warp& warp : group.warps) {
    const Mask here = barrier.arrived[static_cast<std::size_t>(warp.index)];
    if (barrier.expected == 0 && here != warp.alive) {
      return false;
    }
    items += here != 0 && (warp.alive & ~here) == 0 ? k_lanes : 0; // warps count as wholes, also when they have left
  }
  return barrier.expected == 0 || items >= barrier.expected;
}

void open_barrier(Group& group, std::size_t number)
{
  Barrier& barrier = group.barriers[number];
  for (Warp& warp : group.warps) {
    const auto index = static_cast<std::size_t>(warp.index);
    if (barrier.arrived[index] == 0) {
      continue;
    }
    for (Fragment& fragment : warp.others) {
      if (fragment.barrier == static_cast<int>(number)) {
        fragment.barrier = -1;
        learn(warp.clock, barrier.clock);
      }
    }
    warp.advance();
  }
  ++group.launch->events;
  barrier.arrived.assign(group.warps.size(), 0);
  barrier.clock = {};
  barrier.expected = 0;
  barrier.last_yes = std::exchange(barrier.yes, 0);
  barrier.last_items = std::exchange(barrier.items, 0);
}

} // namespace

void split(Warp& warp, Mask lanes, std::uint32_t pc)
{
  warp.others.push_back({pc, lanes, -1, false});
}

void wait_for_lanes(Warp& warp)
{
  warp.others.push_back({warp.now.pc, warp.now.mask, -1, true});
  warp.now.mask = 0;
  warp.stopped = true;
}

void stop_at_barrier(Warp& warp, int barrier)
{
  const Mask rest = warp.now.mask & ~warp.exec;
  warp.others.push_back({warp.jump, warp.exec, barrier, false});
  warp.now.mask = rest;
  warp.stopped = rest == 0;
}

bool loses_turns(Warp& warp)
{
  constexpr int k_one_of = 4, k_most_lost = 8;
  Launch& launch = *warp.group->launch;
  if (!launch.request->delays || std::exchange(warp.delayed, false) || launch.random() % k_one_of != 0) {
    return false;
  }
  warp.delayed = warp.turn_over = true;
  warp.delay = 1 + static_cast<int>(launch.random() % k_most_lost);
  warp.jump = warp.now.pc; // it comes back to this
  return true;
}

void pass_warp_barrier(Warp& warp)
{
  warp.advance();
}

bool together(Warp& warp, const Op& op, Mask members)
{
  const Mask missing = members & warp.alive & ~warp.now.mask;
  if (missing != 0) {
    wait_for_lanes(warp);
    return false;
  }
  if ((warp.exec & ~members) != 0) {
    report(warp, op, FindingKind::wrong_mask,
           fmt::format("the mask {:#010x} leaves out lane {}, which executes it", members,
                       std::countr_zero(warp.exec & ~members)));
    return false;
  }
  if ((members & ~warp.exec) != 0) {
    report(warp, op, FindingKind::wrong_mask,
           fmt::format("the mask {:#010x} names lane {}, which does not execute it", members,
                       std::countr_zero(members & ~warp.exec)));
    return false;
  }
  pass_warp_barrier(warp);
  return true;
}

void arrive(Warp& warp, const Op& op, std::uint32_t number, std::uint32_t items, bool waits)
{
  Group& group = *warp.group;
  Barrier& barrier = group.barriers[number];
  const auto index = static_cast<std::size_t>(warp.index);
  if (barrier.arrived.empty()) {
    barrier.arrived.assign(group.warps.size(), 0);
    barrier.place.assign(group.warps.size(), 0);
  }
  if (barrier.arrived[index] != 0 && barrier.place[index] != op.place) {
    report(warp, op, FindingKind::divergence, "lanes of one warp wait at different barriers", barrier.place[index]);
  }
  barrier.arrived[index] |= warp.exec;
  barrier.place[index] = op.place;
  barrier.expected = std::max(barrier.expected, items);
  learn(barrier.clock, warp.clock);
  if (waits) {
    stop_at_barrier(warp, static_cast<int>(number));
  }
  if (is_complete(group, barrier)) {
    open_barrier(group, number);
  }
}

// A warp that has left no longer holds others up.
void look_at_barriers(Group& group)
{
  for (std::size_t number = 0; number < group.barriers.size(); ++number) {
    const Barrier& barrier = group.barriers[number];
    const bool somebody = std::ranges::any_of(barrier.arrived, [](Mask mask) { return mask != 0; });
    if (somebody && is_complete(group, barrier)) {
      const auto waiting = std::ranges::find_if(barrier.arrived, [](Mask mask) { return mask != 0; });
      Warp& warp = group.warps[static_cast<std::size_t>(waiting - barrier.arrived.begin())];
      Op op;
      op.place = barrier.place[static_cast<std::size_t>(waiting - barrier.arrived.begin())];
      report(warp, op, FindingKind::divergence, "items of the group have left and never come to this barrier");
      open_barrier(group, number);
    }
  }
}

} // namespace hone::emulate::execute
