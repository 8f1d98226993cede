// What launch plans may name of a device that is not here, only compiled for or emulated.
#pragma once

#include "backend/cuda/device_compiler.h"
#include "kernel/kernel.h"

namespace hone {

// `units`: few, so that groups take several tiles each.
inline kernel::PlanScope facts_of(const backend::DeviceTarget& target, std::int64_t units = 3)
{
  return {{"device.max_block", 1024},
          {"device.shared_per_block", 48 << 10}, // without asking for more
          {"device.dynamic_shared", target.local_bytes},
          {"device.units", units},
          {"device.subgroup", target.subgroup},
          {"device.warp_group", target.warp_group},
          {"device.cluster", target.cluster},
          {"device.vector_bytes", 16},
          {"device.l1", 0},
          {"device.l2", 0},
          {"device.l3", 0}};
}

} // namespace hone
