// Hidden sizes: drawn per run, so that a candidate cannot know where it will be looked at. (internal to the gate)
#pragma once

#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <vector>

namespace hone {

struct HiddenSizesRequest {
  std::size_t count = 2;   // combinations wanted; fewer when the kernel has no more
  double work_limit = 2e6; // flops + bytes of one call, so that references stay cheap
};

// Every symbol walks through 1, 2, 3, 31, 33, a prime, a number that is no power of two, and the neighbours of the
// candidate's tuning values (tile edges), in an order of its own. The timed sizes are never among them.
Result<std::vector<Sizes>> draw_hidden_sizes(const Kernel& kernel, const TuningPoint& point,
                                             const HiddenSizesRequest& request, Random& random);

// For every symbol one combination in which it is a little larger than at any timed size and than any tile: a candidate
// may be right up to there and no further. The others leave room for a few tiles beside it, or for as many as the limit
// allows: what only shows in a whole tile behind a whole block shows nowhere else. Left out where even two of each cost
// more than the limit.
Result<std::vector<Sizes>> draw_sizes_beyond(const Kernel& kernel, const TuningPoint& point, double work_limit,
                                             Random& random);

} // namespace hone
