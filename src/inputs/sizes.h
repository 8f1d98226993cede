// Hidden sizes: drawn per run, so that a candidate cannot know where it will be looked at.
#pragma once

#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <functional>
#include <string>
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

// Up to `count` in which one symbol (each in turn) is 256 to 1,500 and the others have room for a tile or two, as far
// as the limit allows: rows, columns and sums long enough for blocks of blocks, at which every kind of values is
// affordable, and no sum so long that it is fit for a few kinds only.
Result<std::vector<Sizes>> draw_long_sizes(const Kernel& kernel, std::size_t count, double work_limit, Random& random);

// Sizes of other kinds, where a candidate may take other ways:
//   larger  for every symbol one in which it is up to half as large again as at any timed size and than any tile. The
//           others leave room for a few tiles beside it, or for as many as the limit allows: what only shows in a whole
//           tile behind a whole block shows nowhere else.
//   thin    for every symbol some in which it is long, up to twice the longest timed one, and the others are 1 to 4
//   far     for every symbol two in which it is longer than that, up to four million as far as twice the limit allows,
//           and the others are 1 to 4, 12 to 48, or 32 to 130; every other time all but one of these 1 to 4
//   middling  all symbols long at once, up to 1,000 and as far as the limit allows: alike within a factor of two, or of
//           eight; once within a twelfth
//   broad   every two of three and more symbols, and every three of four and more (ten of each at most), 1,000 to 2,000
//           at once, as far as twice the limit allows, beside others of 1 or 2, or beside three of up to 5
//   product one symbol of three or more the product of two others
//   farther where inputs are integers, for every symbol one of 131,072 to four million beside others of 1 to 3
//   small   any, every third extent 1: remainders of all kinds beside each other
//   alike   all symbols the same: two of up to 67, one as long as is affordable, up to 400
//   round   all symbols multiples of one power of two, and not the same
//   pairs   two symbols the same, a multiple of 16, and no other one
// Left out where they cost more than the limit or mean nothing.
Result<std::vector<Sizes>> draw_further_sizes(const Kernel& kernel, const TuningPoint& point, double work_limit,
                                              Random& random);

// Sizes that hold, together, an extent of every third of an octave of every symbol, from 4 to 4,096 (to 65,536 of two
// symbols, to a million of one) as far as the limit allows: who goes wrong in a range of one symbol is met there,
// wherever it begins. The long ones lie beside small ones and beside others that are no rarity; of four symbols and
// more, beside one half of the others that are, and beside the other half.
Result<std::vector<Sizes>> draw_strata(const Kernel& kernel, double work_limit, Random& random);

// Every choice of so many of the symbols (all of them, where there are fewer), each in their order.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& symbols, std::size_t together);

// Evenly from `least` to `most`, both included.
std::int64_t drawn_between(std::int64_t least, std::int64_t most, Random& random);

// Whether the kernel means something there, and its work `fits`.
Result<bool> is_affordable(const Kernel& kernel, const Sizes& sizes, const std::function<bool(const Work&)>& fits);
// The same where plain loops and one look at all memory stay below `limit` operations and bytes.
Result<bool> is_affordable(const Kernel& kernel, const Sizes& sizes, double limit);

// Up to `count` sizes that are far beyond the timed ones in the symbols in which `far` is: of every length, half of
// them multiples of a power of two, beside others of at most what they are there.
Result<std::vector<Sizes>> draw_sizes_as_far(const Kernel& kernel, const Sizes& far, std::size_t count,
                                             double work_limit, Random& random);

// Whether a symbol is so long that the size is one of the far ones.
bool is_far_beyond(const Kernel& kernel, const Sizes& sizes);

} // namespace hone
