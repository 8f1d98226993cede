// The parts that counts of accesses are made of. Finds: distances that are off by one or go wrong where times are
// renumbered, strides that are lost among many, counts that change on their way out of the jail.
#include "backend/access_counter.h"
#include "backend/cpu/counting/call_counts.h"
#include "backend/cpu/counting/cpu_access_counter.h"
#include "backend/cpu/counting/frequent_strides.h"
#include "backend/cpu/counting/instruction_places.h"
#include "backend/cpu/counting/reuse_distance.h"
#include "util/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hone::backend::cpu {
namespace {

using testing::HasSubstr;

TEST(ReuseDistances, AreThoseOfAListInTheOrderOfUse)
{
  Random random(1);
  ReuseDistances distances;
  std::vector<std::uint64_t> used;    // the last one at the end
  for (int i = 0; i < 200'000; ++i) { // more than twice the times that it begins with
    const std::uint64_t line = random.below(1 + random.below(64)) * 4096;
    const auto found = std::ranges::find(used, line);
    const auto expected = found == used.end() ? std::optional<std::uint64_t>()
                                              : std::optional(static_cast<std::uint64_t>(used.end() - found - 1));
    ASSERT_EQ(distances.touch(line), expected) << i;
    if (found != used.end()) {
      used.erase(found);
    }
    used.push_back(line);
  }
  EXPECT_EQ(distances.lines(), used.size());
}

TEST(ReuseDistances, GrowWithTheLines)
{
  constexpr std::uint64_t k_lines = 100'000; // more than the times that it begins with
  ReuseDistances distances;
  for (std::uint64_t line = 0; line < k_lines; ++line) {
    ASSERT_FALSE(distances.touch(line));
  }
  for (std::uint64_t line = 0; line < k_lines; ++line) {
    ASSERT_EQ(distances.touch(line), k_lines - 1);
  }
}

TEST(FrequentStrides, FindTheMostFrequentAmongMany)
{
  Random random(1);
  FrequentStrides strides;
  std::uint64_t address = 0;
  for (int i = 0; i < 10'000; ++i) {
    address += i % 4 == 0 ? 64 : random.below(1 << 20);
    strides.add(address);
  }
  const auto counts = strides.counts();
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  EXPECT_EQ(most->first, 64);
  EXPECT_GE(most->second, 1800);
  EXPECT_LE(most->second, 2600);
  EXPECT_EQ(strides.steps(), 9999);
}

TEST(LogHistogram, QuantilesAreExactBelow16AndCloseAbove)
{
  LogHistogram histogram;
  for (std::uint64_t value = 0; value < 10; ++value) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.quantile(0.5), 4);
  for (std::uint64_t value = 1; value != 0; value *= 2) {
    for (const std::uint64_t near : {value - 1, value, value + value / 3}) {
      LogHistogram one;
      one.add(near);
      EXPECT_NEAR(one.quantile(0.5), static_cast<double>(near), static_cast<double>(near) / 16) << near;
      EXPECT_LT(LogHistogram::bucket_of(near), LogHistogram::k_max_buckets);
    }
  }
}

CallCounts some_counts()
{
  CallCounts counts;
  counts.levels = {{"L1", 1024, 64, 2}, {"L2", 4096, 64, 4}};
  counts.traffic = {{640, 64, 128}, {320, 0, 64}};
  counts.touched_bytes = 640;
  counts.groups_run = 3;
  counts.groups = 4;
  counts.whole = false;
  for (const std::uint64_t offset : {0x100, 0x110}) {
    InstructionCounts each;
    each.offset = offset;
    each.memory = offset == 0x100 ? MemoryKind::buffer : MemoryKind::stack;
    each.buffer = offset == 0x100 ? "A" : "";
    each.loads = 10;
    each.stores = 5;
    each.bytes_loaded = 40;
    each.bytes_stored = 20;
    each.bytes_around = 4;
    each.line_crossings = 1;
    each.misses = {{4, 2, 3, 1}, {2, 1, 3, 0}};
    each.strides = {{-4, 2}, {64, 11}};
    each.steps = 14;
    each.alignment = 4;
    each.touches = 16;
    each.reuse.add(3);
    each.reuse.add(1000);
    counts.instructions.push_back(each);
  }
  return counts;
}

TEST(CallCounts, ComeBackFromTextAsTheyWere)
{
  const auto back = call_counts_from(to_text(some_counts()));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, some_counts());
}

TEST(CallCounts, ATextThatIsCutOffIsRefused)
{
  const std::string text = to_text(some_counts());
  for (std::size_t length = 0; length + 1 < text.size(); length += 7) {
    EXPECT_FALSE(call_counts_from(text.substr(0, length))) << length;
  }
  EXPECT_FALSE(call_counts_from("reuse 3 4\nend\n"));
  EXPECT_FALSE(call_counts_from("instruction x\nend\n"));
}

constexpr const char* k_places = "0x0000000000000100\n"
                                 "_mm256_loadu_ps(float const*)\n"
                                 "/usr/lib/gcc/x86_64-linux-gnu/12/include/avxintrin.h:897 (discriminator 3)\n"
                                 "tile\n"
                                 "/tmp/job/macros.h:12\n"
                                 "matmul\n"
                                 "/tmp/job/device.cpp:40\n"
                                 "0x0000000000000110\n"
                                 "??\n"
                                 "??:0\n";

TEST(InstructionPlaces, AreTheInnermostOnesInTheCandidatesFiles)
{
  const auto places = instruction_places(k_places);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places.at(0x100), (InstructionPlace{"macros.h", 12, "tile"}));
  EXPECT_EQ(places.at(0x110), (InstructionPlace{}));
}

TEST(AccessCounts, SitesAreLinesAndMemories)
{
  CallCounts call = some_counts();
  InstructionCounts more = call.instructions[0]; // another instruction of the same line
  more.offset = 0x120;
  more.alignment = 16;
  call.instructions.push_back(more);
  std::string places = k_places;
  places += "0x120\ntile\n/tmp/job/macros.h:12\n";
  const auto counts = access_counts_from(to_text(call), places);
  ASSERT_TRUE(counts) << counts.error().text();
  ASSERT_EQ(counts->sites.size(), 2U);
  const AccessSite& line = counts->sites[0]; // the heavier one
  EXPECT_EQ(line.file, "macros.h");
  EXPECT_EQ(line.line, 12);
  EXPECT_EQ(line.buffer, "A");
  EXPECT_EQ(line.loads, 20);
  EXPECT_EQ(line.misses.at(0), (CacheMisses{8, 4, 6, 2}));
  EXPECT_EQ(line.alignment, 4);
  ASSERT_TRUE(line.stride);
  EXPECT_EQ(line.stride->bytes, 64);
  EXPECT_DOUBLE_EQ(line.stride->share, 22.0 / 28);
  ASSERT_TRUE(line.reuse);
  EXPECT_EQ(line.reuse->median, 3);
  EXPECT_NEAR(line.reuse->most, 1000, 64);
  EXPECT_DOUBLE_EQ(line.reuse->share, 4.0 / 32);
  EXPECT_EQ(counts->total.loads, 30);
  EXPECT_EQ(counts->stack.loads, 10);
  EXPECT_EQ(weight(line, counts->levels), (8 + 4 + 4 + 2) * 64);
  EXPECT_FALSE(counts->whole);
  EXPECT_THAT(counts->notes.back(), HasSubstr("3 of 4 groups"));
}

TEST(CacheLevels, AreReadAsCachegrindTakesThem)
{
  const auto level = parse_cache_level("L1=49152,12,64");
  ASSERT_TRUE(level) << level.error().text();
  EXPECT_EQ(*level, (CacheLevel{"L1", 49152, 64, 12}));
  EXPECT_EQ(to_text(*level), "L1=49152,12,64");
  for (const char* wrong : {"", "L1", "L1=", "=49152,12,64", "L1=49152,12", "L1=49152,12,65", "L1=49153,12,64",
                            "L1=49152,0,64", "L1=64,12,64", "L1=a,12,64"}) {
    EXPECT_FALSE(parse_cache_level(wrong)) << wrong;
  }
  EXPECT_FALSE(check_levels({}));
  EXPECT_FALSE(check_levels({{"L1", 1024, 64, 2}, {"L2", 4096, 128, 2}}));
}

TEST(CacheLevels, OfThisMachineAreCaches)
{
  const auto levels = cpu_access_counter().levels();
  ASSERT_TRUE(check_levels(levels));
  EXPECT_EQ(levels.front().name, "L1");
}

} // namespace
} // namespace hone::backend::cpu
