// Hidden sizes: drawn per run, so that a candidate cannot know where it will be looked at. "inputs/size_rows.h" says
// which kinds there are. Everywhere here `only` leaves one kind, and nothing where it is of another group.
#pragma once

#include "inputs/size_rows.h"
#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hone::inputs {

struct HiddenSizesRequest {
  std::size_t count = 2;   // combinations wanted; fewer when the kernel has no more
  double work_limit = 2e6; // flops + bytes of one call, so that references stay cheap
};

// Edges of vectors and tiles. The timed sizes are never among them.
Result<std::vector<kernel::Sizes>> draw_hidden_sizes(const kernel::Kernel& kernel, const kernel::TuningPoint& point,
                                                     const HiddenSizesRequest& request, Random& random);

// Up to `count` in which one symbol, each in turn, is long.
Result<std::vector<kernel::Sizes>> draw_long_sizes(const kernel::Kernel& kernel, std::size_t count, double work_limit,
                                                   Random& random, const SizeRow* only = nullptr);

// Sizes of other kinds, where a candidate may take other ways. Left out where they cost more than the limit or mean
// nothing.
Result<std::vector<kernel::Sizes>> draw_further_sizes(const kernel::Kernel& kernel, const kernel::TuningPoint& point,
                                                      double work_limit, Random& random, const SizeRow* only = nullptr);

// Sizes that hold, together, an extent of every third of an octave of every symbol.
Result<std::vector<kernel::Sizes>> draw_strata(const kernel::Kernel& kernel, double work_limit, Random& random,
                                               const SizeRow* only = nullptr);

// Every choice of so many of the symbols (all of them, where there are fewer), each in their order.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& symbols, std::size_t together);

// Evenly from `least` to `most`, both included.
std::int64_t drawn_between(std::int64_t least, std::int64_t most, Random& random);

// Whether the kernel means something there, and its work `fits`.
Result<bool> is_affordable(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                           const std::function<bool(const kernel::Work&)>& fits);
// The same where plain loops and one look at all memory stay below `limit` operations and bytes.
Result<bool> is_affordable(const kernel::Kernel& kernel, const kernel::Sizes& sizes, double limit);

// Up to `count` sizes that are far beyond the timed ones in the symbols in which `far` is: of every length, half of
// them multiples of a power of two, beside others of at most what they are there.
Result<std::vector<kernel::Sizes>> draw_sizes_as_far(const kernel::Kernel& kernel, const kernel::Sizes& far,
                                                     std::size_t count, double work_limit, Random& random);

// Whether a symbol is so long that the size is one of the far ones.
bool is_far_beyond(const kernel::Kernel& kernel, const kernel::Sizes& sizes);

} // namespace hone::inputs
