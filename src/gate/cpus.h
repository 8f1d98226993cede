// The CPUs that measurements run on. (internal to the gate)
#pragma once

#include <vector>

namespace hone {

// All that this process may use, in the order in which threads should take them: away from CPU 0, where most interrupts
// arrive, and one of each core before their siblings.
std::vector<int> usable_cpus();

} // namespace hone
