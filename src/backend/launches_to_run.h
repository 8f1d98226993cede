// A plan's launches as programs in the jail are told of them that carry them out.
#pragma once

#include "backend/launch_list.h"
#include "kernel/kernel.h"

namespace hone::backend {

// All launches, fills included. Buffers are the kernel's arguments in order, then the plan's scratch.
std::vector<ListedLaunch> launches_to_run(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan);

} // namespace hone::backend
