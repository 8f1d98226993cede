// Clusters: groups that run together. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

namespace hone::emulate::execute {

// Opens the cluster's barrier where all items that have not left have come to it.
void look_at_cluster_barrier(Cluster& cluster);
// All items of the group have left: nobody may use its shared memory any more.
void look_at_leaving(Group& group);

} // namespace hone::emulate::execute
