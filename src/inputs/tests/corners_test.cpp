#include "inputs/corners.h"
#include "shipped.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone::inputs {
namespace {

// Whether a size lies in the range.
bool reaches(const kernel::Sizes& sizes, const kernel::Sizes& range)
{
  return std::ranges::all_of(range, [&](const auto& from) { return sizes.at(from.first) >= from.second; });
}

} // namespace

TEST(Corners, keep_within_the_limits)
{
  for (const char* name : {"matmul", "layer-norm", "conv2d"}) {
    const kernel::Kernel kernel = shipped(name);
    Random random(7);
    const auto corners = draw_corners(kernel, 12, {.flops = 2e7, .bytes = 4e6}, random);
    ASSERT_TRUE(corners) << corners.error().text();
    EXPECT_GE(corners->size(), 10U) << name;
    for (const kernel::Sizes& sizes : *corners) {
      const auto work = kernel::work_of(kernel, sizes);
      ASSERT_TRUE(work) << kernel::to_text(sizes);
      EXPECT_LE(work->plain_flops, 2e7);
      EXPECT_LE(work->compulsory_bytes, 4e6);
    }
  }
}

// 16 million bytes are two million elements in and out, of which every range that begins at a quarter is met.
TEST(Corners, meet_every_range_of_two_symbols_whose_smallest_call_is_far_below_the_limits)
{
  const kernel::Kernel kernel = shipped("layer-norm");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto corners = draw_corners(kernel, 20, {}, random);
    ASSERT_TRUE(corners) << corners.error().text();
    for (std::int64_t n = 8; n < 60'000; n = n * 5 / 4) {
      const kernel::Sizes range{{"n", n}, {"d", 480'000 / n}};
      EXPECT_TRUE(std::ranges::any_of(*corners, [&](const kernel::Sizes& sizes) { return reaches(sizes, range); }))
        << kernel::to_text(range) << " seed " << seed;
    }
  }
}

TEST(Corners, meet_most_ranges_of_three_symbols_whose_smallest_call_is_far_below_the_limits)
{
  const kernel::Kernel kernel = shipped("matmul");
  int met = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto corners = draw_corners(kernel, 32, {}, random);
    ASSERT_TRUE(corners) << corners.error().text();
    for (const kernel::Sizes& range :
         {kernel::Sizes{{"m", 260}, {"n", 280}, {"k", 40}}, kernel::Sizes{{"m", 144}, {"n", 4224}, {"k", 8}},
          kernel::Sizes{{"m", 40}, {"n", 150}, {"k", 600}}}) {
      ++tried;
      met += std::ranges::any_of(*corners, [&](const kernel::Sizes& sizes) { return reaches(sizes, range); }) ? 1 : 0;
    }
  }
  EXPECT_GE(met, tried * 9 / 10);
}

TEST(Corners, are_none_of_a_single_symbol)
{
  const kernel::Kernel kernel = shipped("gelu");
  Random random(3);
  const auto corners = draw_corners(kernel, 12, {}, random);
  ASSERT_TRUE(corners) << corners.error().text();
  EXPECT_TRUE(corners->empty());
}

} // namespace hone::inputs
