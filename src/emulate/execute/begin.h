// How clusters and their groups begin. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <string>

namespace hone::emulate::execute {

// The size of clusters that the launch, or the program, asks for. "": it can be.
std::string take_cluster(Launch& launch, const Entry& entry);
// The numbered cluster of the grid, in the memory of one that has run.
void begin_cluster(Cluster& cluster, Launch& launch, std::uint32_t number);

} // namespace hone::emulate::execute
