// A plan's launches as the programs in the jail are told of them.
#pragma once

#include "backend/opencl/launch_list.h"
#include "kernel/kernel.h"

namespace hone::opencl {

// Each launch that needs code of its own once, with as few groups as make the driver generate that code: sizes that
// need the same code get the same list.
std::vector<ListedLaunch> launches_to_compile(const ResolvedPlan& plan);

// All launches, fills included. Buffers are the kernel's arguments in order, then the plan's scratch.
std::vector<ListedLaunch> launches_to_run(const Kernel& kernel, const ResolvedPlan& plan);

} // namespace hone::opencl
