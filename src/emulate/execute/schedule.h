// Who runs next: fragments of a warp, warps of a group, groups of a launch. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

namespace hone::emulate::execute {

// Lanes of the fragment that go on elsewhere.
void split(Warp& warp, Mask lanes, std::uint32_t pc);
// The fragment does not go on until the others of its warp have come to the same instruction.
void wait_for_lanes(Warp& warp);
// Whether all lanes of the mask are here; else the fragment waits for them. Those that execute must be the
// mask's; else it is reported.
bool together(Warp& warp, const Op& op, Mask members);
// The fragment's lanes arrive at a barrier of the group, and wait there.
void arrive(Warp& warp, const Op& op, std::uint32_t number, std::uint32_t items, bool waits);
// Opens barriers that only items that have left were missing from.
void look_at_barriers(Group& group);
// The fragment's lanes wait at a barrier, or, behind the group's, at the cluster's, and go on behind this operation.
void stop_at_barrier(Warp& warp, int barrier);
// Before an arrival or a wait: whether the warp loses some turns first, where the launch has delays.
bool loses_turns(Warp& warp);
// What the warp's lanes did before, all of them know from here on.
void pass_warp_barrier(Warp& warp);

} // namespace hone::emulate::execute
