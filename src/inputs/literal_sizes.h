// Sizes derived from the literals of a candidate, which says by them that something changes there: its code and its
// plan compare extents with numbers ("d < 3072"), cut work into strips of so many rows, leave room for so many
// elements.
#pragma once

#include "inputs/size_rows.h"
#include "kernel/candidate.h"
#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone::inputs {

// Numbers that whole values may go up to where a candidate calls them small: those of its files and of what its code
// compares with, from 15 to 2^25, each once, in order.
std::vector<std::int64_t> max_magnitudes_in(const kernel::Candidate& candidate, std::span<const std::int64_t> compared);

// Whole numbers in a candidate's files, the values of its tuning parameters at `point`, and those of what its code
// compares with (`compared`) that may be meant as extents or as products of them: 40 (all extents below are among the
// hidden sizes) to 2^25, each once, in order. Also hexadecimal and octal ones, 65536.0F, 1 << 16, 4 * 1024.
std::vector<std::int64_t> literals_in(const kernel::Candidate& candidate, const kernel::TuningPoint& point,
                                      std::span<const std::int64_t> compared = {});

// Small numbers of its plan, and 1: how many times an extent may be as long as another ("n > 5 * d").
std::vector<std::int64_t> ratios_in(const kernel::Candidate& candidate);

// What its tuning parameters stand at, where that may be the extent of a block: 40 to 2^25, each once, in order.
std::vector<std::int64_t> blocks_at(const kernel::TuningPoint& point);

// What the sizes are derived from.
struct LiteralSources {
  std::vector<std::int64_t> literals, thresholds, ratios, blocks;
};

// Of the rows of that group: at most `count` in random order, blocks and the extents themselves before all else; those
// that mean nothing, or cost more than a few operations and bytes (a few may be dearer), are left out. `only`: as in
// "inputs/sizes.h".
Result<std::vector<kernel::Sizes>> draw_literal_sizes(const kernel::Kernel& kernel, const LiteralSources& sources,
                                                      std::size_t count, Random& random, const SizeRow* only = nullptr);

} // namespace hone::inputs
