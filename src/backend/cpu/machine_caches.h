// The data caches of this machine's first processor. (internal)
#pragma once

#include "backend/access_counts.h"

#include <vector>

namespace hone::backend::cpu {

// "L1", "L2", "L3", as the kernel tells them (/sys/devices/system/cpu/cpu0/cache); none where it does not.
std::vector<CacheLevel> machine_caches();

} // namespace hone::backend::cpu
