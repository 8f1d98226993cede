// Sizes of which a candidate itself says that something changes there: its code and its plan compare extents with
// numbers ("d < 3072"), cut work into strips of so many rows, leave room for so many elements.
#pragma once

#include "kernel/candidate.h"
#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone {

// Numbers that whole values may go up to where a candidate calls them small: those of its files and of what its code
// compares with, from 15 to 2^25, each once, in order.
std::vector<std::int64_t> tops_in(const Candidate& candidate, std::span<const std::int64_t> compared);

// Whole numbers in a candidate's files, the values of its tuning parameters at `point`, and those of what its code
// compares with (`compared`) that may be meant as extents or as products of them: 40 (all extents below are among the
// hidden sizes) to 2^25, each once, in order. Also hexadecimal and octal ones, 65536.0F, 1 << 16, 4 * 1024.
std::vector<std::int64_t> numbers_in(const Candidate& candidate, const TuningPoint& point,
                                     std::span<const std::int64_t> compared = {});

// Small numbers of its plan, and 1: how many times an extent may be as long as another ("n > 5 * d").
std::vector<std::int64_t> ratios_in(const Candidate& candidate);

// What its tuning parameters stand at, where that may be the extent of a block: 40 to 2^25, each once, in order.
std::vector<std::int64_t> blocks_at(const TuningPoint& point);

// For each number: a symbol of that extent, of one less, one more, of a multiple and its neighbours; two symbols whose
// product is about that, or each of which is a little longer than one of them. For each ratio one symbol that many
// times as long as another, which is small, and once longer. The others are small. For each block a symbol a little
// longer than it, with whole tiles beside. At most `count` in random order, blocks and the extents themselves before
// all else; those that mean nothing, or cost more than a few operations and bytes (a few may be dearer), are left out.
Result<std::vector<Sizes>> draw_named_sizes(const Kernel& kernel, const std::vector<std::int64_t>& numbers,
                                            const std::vector<std::int64_t>& ratios,
                                            const std::vector<std::int64_t>& blocks, std::size_t count, Random& random);

} // namespace hone
