// Loops whose misses are worked out by hand. Finds: a wrong order of eviction, write-backs that are lost or counted
// twice, accesses in two lines that count once, misses that are put down to the wrong kind.
#include "backend/cpu/counting/access_recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hone::backend::cpu {
namespace {

constexpr std::uint64_t k_line = 64;
constexpr std::uint64_t k_x = std::uint64_t{1} << 20, k_y = std::uint64_t{2} << 20, k_z = std::uint64_t{3} << 20;

// 16 lines in 8 sets, 64 lines in 16 sets.
const std::vector<CacheLevel> k_small{{"L1", 1024, 64, 2}, {"L2", 4096, 64, 4}};

// Accesses, all by one instruction.
class Calls {
public:
  explicit Calls(const std::vector<CacheLevel>& levels = k_small) : m_recorder(levels) {}

  void load(std::uint64_t address, std::uint64_t bytes = 4)
  {
    m_recorder.record({1, address, bytes, true, false, false});
  }
  void store(std::uint64_t address, std::uint64_t bytes = 4)
  {
    m_recorder.record({1, address, bytes, false, true, false});
  }
  void update(std::uint64_t address, std::uint64_t bytes = 4)
  {
    m_recorder.record({1, address, bytes, true, true, false});
  }
  void store_around(std::uint64_t address, std::uint64_t bytes)
  {
    m_recorder.record({1, address, bytes, false, true, true});
  }

  InstructionCounts counts() const { return m_recorder.counts().instructions.at(0); }
  CacheMisses misses(std::size_t level = 0) const { return counts().misses.at(level); }
  LevelTraffic traffic(std::size_t level) const { return m_recorder.counts().traffic.at(level); }

private:
  AccessRecorder m_recorder;
};

TEST(CacheModel, AStreamMissesOncePerLine)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    calls.load(k_x + 4 * i);
  }
  for (const std::size_t level : {0, 1}) {
    EXPECT_EQ(calls.misses(level), (CacheMisses{256, 0, 256, 0}));
    EXPECT_EQ(calls.traffic(level), (LevelTraffic{256 * 64, 0, 0}));
  }
  EXPECT_EQ(calls.counts().bytes_loaded, 4 * 4096);
}

TEST(CacheModel, AStrideOfALineMissesEachTime)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 100; ++i) {
    calls.load(k_x + k_line * i);
  }
  EXPECT_EQ(calls.misses().all(), 100);
}

TEST(CacheModel, AStrideOfHalfALineMissesEverySecondTime)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 100; ++i) {
    calls.load(k_x + k_line / 2 * i);
  }
  EXPECT_EQ(calls.misses().all(), 50);
}

std::int64_t misses_of_sweeps(std::uint64_t lines, std::uint64_t stride, std::uint64_t sweeps, std::size_t level = 0)
{
  Calls calls;
  for (std::uint64_t i = 0; i < sweeps * lines; ++i) {
    calls.load(k_x + stride * (i % lines));
  }
  return calls.misses(level).all();
}

TEST(CacheModel, ASweepThatFitsMissesOnce)
{
  EXPECT_EQ(misses_of_sweeps(16, k_line, 5), 16);
}

TEST(CacheModel, ALineTooManyCostsItsSetOnly)
{
  EXPECT_EQ(misses_of_sweeps(17, k_line, 3), 17 + 2 * 3); // three lines of set 0
  EXPECT_EQ(misses_of_sweeps(17, k_line, 3, 1), 17);
}

TEST(CacheModel, ASweepOverTwiceTheCacheNeverHits)
{
  EXPECT_EQ(misses_of_sweeps(32, k_line, 3), 96);
  EXPECT_EQ(misses_of_sweeps(32, k_line, 3, 1), 32);
}

TEST(CacheModel, APowerOfTwoStrideHitsAsLongAsTheWaysSuffice)
{
  EXPECT_EQ(misses_of_sweeps(2, 512, 10), 2);
}

TEST(CacheModel, APowerOfTwoStrideBeyondTheWaysIsAConflict)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 30; ++i) {
    calls.load(k_x + 512 * (i % 3));
  }
  EXPECT_EQ(calls.misses(0), (CacheMisses{30, 0, 3, 27}));
  EXPECT_EQ(calls.misses(1), (CacheMisses{3, 0, 3, 0}));
}

TEST(CacheModel, AWalkDownColumnsMissesEachTime)
{
  Calls calls; // 32 rows of 64 floats: of a column's 32 lines 16 fall into each of two sets
  for (std::uint64_t column = 0; column < 64; ++column) {
    for (std::uint64_t row = 0; row < 32; ++row) {
      calls.load(k_x + 256 * row + 4 * column);
    }
  }
  EXPECT_EQ(calls.misses(0), (CacheMisses{2048, 0, 128, 0}));
  EXPECT_EQ(calls.misses(1), (CacheMisses{2048, 0, 128, 1920})); // 64 lines would hold a column's 32
}

TEST(CacheModel, AWalkDownStripsOfColumnsMissesOncePerLine)
{
  Calls calls;
  for (std::uint64_t strip = 0; strip < 4; ++strip) {
    for (std::uint64_t row = 0; row < 32; ++row) {
      for (std::uint64_t column = 0; column < 16; ++column) {
        calls.load(k_x + 256 * row + 64 * strip + 4 * column);
      }
    }
  }
  EXPECT_EQ(calls.misses().all(), 128);
}

TEST(CacheModel, ATransposedPairLosesItsColumnsWhereARowComesBetween)
{
  Calls calls; // 16 x 16 floats, a line a row
  for (std::uint64_t i = 0; i < 16; ++i) {
    for (std::uint64_t j = 0; j < 16; ++j) {
      calls.load(k_x + k_line * i + 4 * j);
      calls.store(k_y + k_line * j + 4 * i);
    }
  }
  // Row i of X takes a way of set i: both lines of Y there miss in this round, and in the next, but for the last set,
  // where Y is used after X: there one of them stays.
  EXPECT_EQ(calls.misses().reads, 16);
  EXPECT_EQ(calls.misses().writes, 16 + 15 * 2 + 14 * 2 + 1);
}

TEST(CacheModel, AStencilMissesOncePerLine)
{
  Calls calls;
  for (std::uint64_t i = 1; i < 255; ++i) {
    for (const std::uint64_t at : {i - 1, i, i + 1}) {
      calls.load(k_x + 4 * at);
    }
    calls.store(k_y + 4 * i);
  }
  EXPECT_EQ(calls.misses(), (CacheMisses{16, 16, 32, 0}));
}

// 64 x 64 floats, 4 lines a row, in 128 lines of one set.
const std::vector<CacheLevel> k_one_set{{"L1", 8192, 64, 128}};

TEST(CacheModel, APlainProductReadsTheSecondMatrixForEachRow)
{
  Calls calls(k_one_set);
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (std::uint64_t k = 0; k < 64; ++k) {
      calls.load(k_x + 256 * i + 4 * k);
      for (std::uint64_t j = 0; j < 4; ++j) {
        calls.load(k_y + 256 * k + k_line * j, 64);
        calls.update(k_z + 256 * i + k_line * j, 64);
      }
    }
  }
  EXPECT_EQ(calls.misses().all(), 256 + 64 * 256 + 256);
}

TEST(CacheModel, ABlockedProductReadsTheSecondMatrixOnce)
{
  Calls calls(k_one_set);
  for (std::uint64_t j = 0; j < 4; ++j) { // blocks of 16 columns: 64 lines of Y stay
    for (std::uint64_t i = 0; i < 64; ++i) {
      for (std::uint64_t k = 0; k < 64; ++k) {
        calls.load(k_x + 256 * i + 4 * k);
        calls.load(k_y + 256 * k + k_line * j, 64);
      }
      calls.update(k_z + 256 * i + k_line * j, 64);
    }
  }
  EXPECT_EQ(calls.misses().all(), 4 * 256 + 256 + 256);
  EXPECT_EQ(calls.misses().writes, 0); // what is read and written counts as read
}

TEST(CacheModel, DirtyLinesAreWrittenBackWhenTheyGo)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 128 * 16; ++i) {
    calls.store(k_x + 4 * i);
  }
  EXPECT_EQ(calls.misses(0), (CacheMisses{0, 128, 128, 0}));
  EXPECT_EQ(calls.traffic(0), (LevelTraffic{128 * 64, 112 * 64, 16 * 64}));
  EXPECT_EQ(calls.traffic(1), (LevelTraffic{128 * 64, 64 * 64, 48 * 64}));
}

TEST(CacheModel, ADirtyLineThatTheNextLevelLostGoesOn)
{
  Calls calls({{"L1", 128, 64, 2}, {"L2", 64, 64, 1}});
  calls.store(k_x);
  calls.load(k_y); // drops X from L2, which was clean there
  calls.load(k_z); // drops X from L1
  EXPECT_EQ(calls.traffic(0).write_back_bytes, 64);
  EXPECT_EQ(calls.traffic(1).write_back_bytes, 64);
  EXPECT_EQ(calls.traffic(1).dirty_bytes, 0);
}

TEST(CacheModel, AnAccessInTwoLinesTouchesBoth)
{
  Calls calls;
  for (std::uint64_t i = 0; i < 10; ++i) {
    calls.load(k_x + 60 + k_line * i, 16);
  }
  EXPECT_EQ(calls.misses().all(), 11);
  EXPECT_EQ(calls.counts().line_crossings, 10);
  EXPECT_EQ(calls.counts().alignment, 4);
}

TEST(CacheModel, AGatherMissesOncePerLineItMeets)
{
  Calls calls;
  for (const std::uint64_t line : {0, 5, 0, 9, 5, 13, 0, 5}) {
    calls.load(k_x + k_line * line + 8);
  }
  EXPECT_EQ(calls.misses(), (CacheMisses{4, 0, 4, 0}));
}

TEST(CacheModel, StoresAroundTheCachesFetchNothing)
{
  Calls calls;
  calls.store(k_x);
  for (std::uint64_t i = 0; i < 64; ++i) {
    calls.store_around(k_x + k_line * i, 64);
  }
  EXPECT_EQ(calls.misses().all(), 1);
  EXPECT_EQ(calls.traffic(0), (LevelTraffic{64, 64, 0})); // the dirty line goes first
  EXPECT_EQ(calls.counts().bytes_around, 64 * 64);
  calls.load(k_x);
  EXPECT_EQ(calls.misses().all(), 2);
}

TEST(CacheModel, ADistanceBelowTheLinesOfOneSetIsAHit)
{
  Calls calls({{"L1", 4 * 64, 64, 4}});
  for (const std::uint64_t line : {0, 1, 2, 3, 0, 4, 0, 1}) { // 1 comes back after 2, 3, 0 and 4
    calls.load(k_x + k_line * line);
  }
  EXPECT_EQ(calls.misses().all(), 6);
  EXPECT_EQ(calls.counts().reuse.quantile(1), 4);
}

// Would catch: lines of one thread taken for shared ones, or the stores before the other thread came left out.
TEST(AccessRecorder, StoresToLinesOfSeveralThreadsAreContested)
{
  AccessRecorder recorder(k_small);
  recorder.add_memory({k_x, k_x + 4096, 0, MemoryKind::buffer, "X"});
  const auto store = [&](std::uint32_t thread, std::uint64_t offset) {
    recorder.set_thread(thread);
    recorder.record({7, k_x + offset, 4, false, true, false});
  };
  store(0, 0);
  store(0, 4);
  store(0, 128);
  store(1, 8);
  store(1, 256);
  store(0, 12);
  EXPECT_EQ(recorder.counts().instructions.at(0).contested, 4) << "those to the first line";
}

// Would catch: pages counted as lines, or a second level of translations that holds as many as the first.
TEST(AccessRecorder, PagesMissTwoLevelsOfTranslations)
{
  AccessRecorder recorder(k_small);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t page = 0; page < 128; ++page) {
      recorder.record({7, k_x + 4096 * page, 4, true, false, false});
      recorder.record({7, k_x + 4096 * page + 64, 4, true, false, false});
    }
  }
  const CallCounts counts = recorder.counts();
  EXPECT_EQ(counts.instructions.at(0).page_misses, 256) << "64 of 128 fit: each goes before it is needed again";
  EXPECT_EQ(counts.instructions.at(0).page_walks, 128);
}

TEST(AccessRecorder, MemoriesCountApart)
{
  AccessRecorder recorder(k_small);
  recorder.add_memory({k_x, k_x + 4096, 0, MemoryKind::buffer, "X"});
  recorder.add_memory({k_y, k_y + 4096, 8192, MemoryKind::stack, ""});
  recorder.record({7, k_x + 4, 4, true, false, false});
  recorder.record({7, k_y, 8, false, true, false});
  recorder.record({7, k_z, 8, false, true, false});
  const CallCounts counts = recorder.counts();
  ASSERT_EQ(counts.instructions.size(), 3U);
  EXPECT_EQ(counts.instructions[0].buffer, "X");
  EXPECT_EQ(counts.instructions[1].memory, MemoryKind::other);
  EXPECT_EQ(counts.instructions[2].memory, MemoryKind::stack);
  EXPECT_EQ(counts.instructions[2].bytes_stored, 8);
  EXPECT_EQ(counts.touched_bytes, 3 * 64);
}

} // namespace
} // namespace hone::backend::cpu
