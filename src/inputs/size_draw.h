// What the rows of the size table draw with. (internal)
#pragma once

#include "inputs/corners.h"
#include "inputs/literal_sizes.h"
#include "inputs/size_rows.h"
#include "inputs/sizes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone::inputs {

constexpr std::int64_t k_thin = 4;                // at most, beside a symbol that is longer than
constexpr std::int64_t k_long_extent = 64;        // this
constexpr std::int64_t k_most_small = 67;         // extents that are neither round nor long
constexpr double k_farthest = 1 << 22;            // extent
constexpr std::int64_t k_largest_landmark = 4100; // larger tuning values are not tiles of anything worth trying

// Literal-derived sizes before some of them are chosen.
struct LiteralPools {
  std::vector<kernel::Sizes> beyond_blocks, exact, others;
};

class SizeDraw {
public:
  SizeDraw(const kernel::Kernel& kernel, Random& random, double limit)
    : m_kernel(kernel), m_random(random), m_limit(limit)
  {
  }

  const kernel::Kernel& kernel() const { return m_kernel; }
  const std::vector<std::string>& symbols() const { return m_kernel.symbols; }
  Random& random() { return m_random; }
  double limit() const { return m_limit; } // flops and bytes of one call
  std::vector<kernel::Sizes>& drawn() { return m_drawn; }

  // Keeps the sizes unless they are timed ones, mean nothing or cost more than `times` the limit. Whether it did.
  Result<bool> add_if_cheap(const kernel::Sizes& sizes, double times = 1);
  // The same where nobody asks.
  Result<void> try_to_add(const kernel::Sizes& sizes, double times = 1);

  kernel::Sizes others_of(std::int64_t least, std::int64_t most); // of all symbols
  std::int64_t between(std::int64_t least, std::int64_t most) { return drawn_between(least, most, m_random); }
  std::int64_t up_to(std::int64_t limit) { return between(1, std::max<std::int64_t>(limit, 1)); }

  // Of rows that need it.
  std::size_t count = 0; // sizes that are wanted
  kernel::TuningPoint point;
  CornerLimits corner_limits;
  const LiteralSources* literal = nullptr;
  LiteralPools pools;

private:
  const kernel::Kernel& m_kernel;
  Random& m_random;
  double m_limit;
  std::vector<kernel::Sizes> m_drawn;
};

bool is_cheap(const kernel::Work& work, double limit);
// Shrinks symbols, one after another in random order, until the work is bounded.
Result<void> make_cheap(const kernel::Kernel& kernel, kernel::Sizes& sizes, double limit, Random& random);
std::int64_t longest_timed(const kernel::Kernel& kernel, const std::string& symbol);
std::int64_t nearest_far(const kernel::Kernel& kernel, const std::string& symbol); // above all thin ones

// Calls the generators of a group's wanted rows.
Result<void> draw_group(SizeGroup group, SizeDraw& draw, const SizeRow* forced);

// One table per group of related rows: kinds/*.cpp, corners.cpp, literal_sizes.cpp.
std::span<const SizeRow> near_size_rows();
std::span<const SizeRow> far_size_rows();
std::span<const SizeRow> joint_size_rows();
std::span<const SizeRow> block_size_rows();
std::span<const SizeRow> strata_size_rows();
std::span<const SizeRow> corner_size_rows();
std::span<const SizeRow> literal_size_rows();

} // namespace hone::inputs
