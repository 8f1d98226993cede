#include "rewrite/rewrite.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

std::string why_useless(std::string_view step, const kernel::Sizes& sizes, int threads = 1)
{
  static const kernel::PlanScope facts{{"device.l2", 1 << 20}};
  return builtin_engine().why_useless(step, shipped("matmul"), k_cpu, {sizes, threads, facts});
}

TEST(Worth, DotRemaindersNeedFewColumnsLeftOver)
{
  EXPECT_THAT(why_useless("dot-remainders", {{"m", 64}, {"n", 64}, {"k", 64}}), HasSubstr("64 columns fill"));
  EXPECT_THAT(why_useless("dot-remainders", {{"m", 64}, {"n", 74}, {"k", 64}}), HasSubstr("10 columns left over"));
  EXPECT_THAT(why_useless("dot-remainders", {{"m", 64}, {"n", 67}, {"k", 5}}), HasSubstr("5 products"));
  EXPECT_EQ(why_useless("dot-remainders", {{"m", 64}, {"n", 67}, {"k", 64}}), "");
}

TEST(Worth, ABroadcastInRegistersNeedsAnOutputOfFewVectors)
{
  EXPECT_EQ(why_useless("register-broadcast", {{"m", 64}, {"n", 16}, {"k", 64}}), "");
  EXPECT_THAT(why_useless("register-broadcast", {{"m", 64}, {"n", 256}, {"k", 64}}), HasSubstr("256 columns"));
}

TEST(Worth, WhatIsDoneToTheOutputNeedsOneBeyondTheCache)
{
  const kernel::Sizes small{{"m", 512}, {"n", 512}, {"k", 32}}, large{{"m", 1024}, {"n", 1024}, {"k", 32}};
  for (const char* step : {"prefetch-output", "stream-output"}) {
    EXPECT_THAT(why_useless(step, small), HasSubstr("second-level cache")) << step;
    EXPECT_EQ(why_useless(step, large), "") << step;
  }
  EXPECT_THAT(why_useless("stream-output", {{"m", 1024}, {"n", 1024}, {"k", 1024}}), HasSubstr("1024 products"));
}

TEST(Worth, RowsAreFetchedAheadWhereTheyAreNotNear)
{
  EXPECT_THAT(why_useless("prefetch-rows", {{"m", 64}, {"n", 4096}, {"k", 64}}), HasSubstr("second-level cache"));
  EXPECT_EQ(why_useless("prefetch-rows", {{"m", 4096}, {"n", 64}, {"k", 1024}}), "");
}

TEST(Worth, PartsOfASumNeedThreads)
{
  const kernel::Sizes sizes{{"m", 64}, {"n", 64}, {"k", 8192}};
  EXPECT_THAT(why_useless("split-k", sizes), HasSubstr("one thread"));
  EXPECT_EQ(why_useless("split-k", sizes, 2), "");
}

TEST(Worth, EvenBlocksNeedThreads)
{
  const kernel::Sizes sizes{{"m", 1000}, {"n", 64}, {"k", 64}};
  EXPECT_THAT(why_useless("balance-tiles", sizes), HasSubstr("one thread"));
  EXPECT_EQ(why_useless("balance-tiles", sizes, 2), "");
}

TEST(Worth, StripsPackedTogetherNeedMoreThanOne)
{
  EXPECT_THAT(why_useless("pack-strips-together", {{"m", 4096}, {"n", 64}, {"k", 64}}), HasSubstr("64 columns"));
  EXPECT_EQ(why_useless("pack-strips-together", {{"m", 64}, {"n", 4096}, {"k", 64}}), "");
}

TEST(Worth, NothingIsSaidWhereTheSizesAreNotKnown)
{
  EXPECT_EQ(why_useless("dot-remainders", {}), "");
  EXPECT_EQ(why_useless("vectorize", {{"m", 1}, {"n", 1}, {"k", 1}}), "");
}

} // namespace
} // namespace hone::rewrite
