// A plan's launches as the compiler in the jail is told of them.
#pragma once

#include "backend/launch_list.h"
#include "kernel/kernel.h"

namespace hone::backend::opencl {

// Each launch that needs code of its own once, with as few groups as make the driver generate that code: sizes that
// need the same code get the same list.
std::vector<ListedLaunch> launches_to_compile(const kernel::ResolvedPlan& plan);

} // namespace hone::backend::opencl
