// Branches within a loop whose way depends on data that the loop loads (x86): a predictor has nothing to go by where
// the data have no order. (internal)
#pragma once

#include "tools/listing.h"

namespace hone::tools {

// How many there are in a round. Only those count after which the loop goes on either way.
int data_branches(const Function& function, const Loop& loop);

} // namespace hone::tools
