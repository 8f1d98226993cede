#include "backend/cpu/watch/group_order.h"
#include "backend/cpu/watch/watched_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

namespace hone::backend::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchedMemoryTest : public testing::Test {
protected:
  // Four bytes at an element of buffer 0 (inputs) or 1 (outputs), by a group.
  void access(int group, std::size_t buffer, std::ptrdiff_t element, Access access, std::size_t bytes = 4)
  {
    m_memory.begin_group(group);
    m_memory.record_access(m_memory.bytes_of(buffer).data() + 4 * element, bytes, access, nullptr);
  }

  WatchedMemory m_memory{{{40, 4, false, false, "A"}, {40, 4, true, false, "C"}}, Instrumentation::thread_sanitizer};
};

TEST_F(WatchedMemoryTest, CorrectGroupsHaveNoFindings)
{
  m_memory.begin_launch("f", {});
  for (int group = 0; group < 10; ++group) {
    access(group, 0, 0, Access::read, 40);
    access(group, 1, group, Access::read);
    access(group, 1, group, Access::write);
    access(group, 1, group, Access::read);
  }
  m_memory.begin_launch("g", {}); // what the first launch wrote, any group may read
  access(7, 1, 0, Access::read, 40);
  int elsewhere = 0;
  m_memory.record_access(&elsewhere, 4, Access::write, nullptr);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
}

TEST_F(WatchedMemoryTest, WritingTheSameValueIsAWrite)
{
  m_memory.begin_launch("f", {});
  access(0, 1, 0, Access::write, 20);
  access(1, 1, 4, Access::write, 20);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 writes C[4] (f)"));
}

TEST_F(WatchedMemoryTest, GroupsMeetInPartsOfElementsOnlyWhereTheseOverlap)
{
  const auto write_half = [this](int group, std::ptrdiff_t at) {
    m_memory.begin_group(group);
    m_memory.record_access(m_memory.bytes_of(1).data() + at, 2, Access::write, nullptr);
  };
  m_memory.begin_launch("f", {});
  access(0, 1, 3, Access::write);
  write_half(1, 16);
  write_half(2, 18); // the other half of the same element
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  write_half(1, 14); // an element that was accessed as a whole before
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 writes C[3] (f)"));
}

TEST_F(WatchedMemoryTest, ReadingWhatAnotherGroupWritesIsARaceInEitherOrder)
{
  m_memory.begin_launch("f", {});
  access(0, 1, 3, Access::write);
  access(1, 1, 3, Access::read);
  m_memory.begin_launch("g", {});
  access(0, 1, 3, Access::read);
  access(1, 1, 3, Access::write);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 reads C[3] (f)",
                                               "race group 0 reads and group 1 writes C[3] (g)"));
}

TEST_F(WatchedMemoryTest, UnseenWritesAreFoundByComparison)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  m_memory.bytes_of(1)[13] ^= std::byte{1};
  m_memory.end_group();
  access(1, 1, 2, Access::read);
  m_memory.end_group();
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  access(2, 1, 3, Access::read);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 2 reads C[3] (f)"));
}

TEST_F(WatchedMemoryTest, AnUnseenWriteBelongsToTheGroupThatRan)
{
  const std::int64_t reduced[] = {0};
  m_memory.begin_launch("f", reduced);
  m_memory.make_shared(0);
  m_memory.begin_group(0);
  m_memory.bytes_of(1)[13] ^= std::byte{1};
  m_memory.switch_to(1);
  access(1, 1, 4, Access::write);
  m_memory.end_group();
  m_memory.switch_to(0);
  access(0, 1, 3, Access::read);
  m_memory.end_group();
  EXPECT_THAT(m_memory.findings(), IsEmpty());
}

TEST_F(WatchedMemoryTest, WhatMayBeAtomicIsARaceOnlyWhereNothingIsReduced)
{
  m_memory.begin_launch("f", {});
  access(0, 1, 3, Access::may_write);
  access(1, 1, 3, Access::may_read);
  const std::int64_t reduced[] = {1};
  m_memory.begin_launch("g", reduced);
  access(0, 1, 3, Access::may_write);
  access(1, 1, 3, Access::may_write);
  access(1, 1, 10, Access::may_read);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("race group 0 writes and group 1 reads C[3] (f)", "read 4 bytes past the end of C (g)"));
}

TEST_F(WatchedMemoryTest, ReducedBuffersAreAddedToByAtomicOperationsOnly)
{
  const std::int64_t reduced[] = {1};
  m_memory.begin_launch("f", reduced);
  for (int group = 0; group < 3; ++group) {
    access(group, 1, 3, Access::atomic_read);
    access(group, 1, 3, Access::atomic_write);
  }
  access(3, 1, 4, Access::read);
  access(3, 1, 4, Access::write);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  access(3, 1, 3, Access::read);
  m_memory.begin_launch("g", reduced);
  access(0, 1, 3, Access::write);
  access(1, 1, 3, Access::atomic_write);
  m_memory.begin_launch("h", reduced);
  access(0, 1, 3, Access::read);
  access(1, 1, 3, Access::atomic_write);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race another group adds to and group 3 reads C[3] (f)",
                                               "race group 0 writes and group 1 adds to C[3] (g)",
                                               "race group 0 reads and group 1 adds to C[3] (h)"));
}

TEST_F(WatchedMemoryTest, ReducedBuffersAreChangedInSightOnly)
{
  constexpr std::array<std::int64_t, 1> reduced{1};
  m_memory.begin_launch("f", reduced);
  access(0, 1, 2, Access::atomic_write);
  m_memory.bytes_of(1)[8] ^= std::byte{1};
  m_memory.end_launch();
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  m_memory.begin_launch("g", reduced);
  access(0, 1, 3, Access::atomic_read);
  m_memory.bytes_of(1)[12] ^= std::byte{1};
  m_memory.end_launch();
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("race C[3] is changed by something that is not seen to be an atomic operation (g)"));
}

TEST_F(WatchedMemoryTest, TheEndOfALongGroupIsNotLookedAt)
{
  constexpr std::array<std::int64_t, 1> reduced{1};
  m_memory.limit_group(1);
  m_memory.begin_launch("f", reduced);
  m_memory.begin_group(0);
  m_memory.record_access(m_memory.bytes_of(1).data(), 4, Access::atomic_write, nullptr);
  m_memory.record_access(m_memory.bytes_of(1).data() + 4, 4, Access::atomic_write, nullptr);
  m_memory.bytes_of(1)[4] ^= std::byte{1};
  m_memory.end_launch();
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  EXPECT_EQ(m_memory.accesses(), 1);
}

TEST_F(WatchedMemoryTest, AtomicOperationsDoNotLetGroupsMeetElsewhere)
{
  m_memory.begin_launch("f", {});
  access(0, 1, 3, Access::atomic_write);
  access(1, 1, 3, Access::atomic_read);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 reads C[3] (f)"));
}

TEST(WatchOrderTest, EveryGroupComesOnceNeighboursTogether)
{
  constexpr std::int64_t k_rows = 40, k_columns = 30, k_layers = 3;
  GroupOrder order({k_columns, k_rows, k_layers}, 7);
  std::vector<std::int64_t> seen;
  while (const auto group = order.take_next()) {
    seen.push_back(*group);
  }
  const std::set<std::int64_t> early(seen.begin(), seen.begin() + 11);
  const auto is_beside = [&](std::int64_t group) {
    return early.contains(group / k_columns * k_columns + (group + 1) % k_columns);
  };
  EXPECT_TRUE(std::ranges::any_of(early, is_beside));
  EXPECT_EQ(seen.size(), k_rows * k_columns * k_layers);
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), seen.size());
}

TEST(WatchOrderTest, TheRestComesOnceToo)
{
  GroupOrder order({30, 40, 3}, 7);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 25; ++i) {
    seen.insert(order.take_next().value());
  }
  std::size_t count = seen.size();
  while (const auto group = order.take_next_of_rest()) {
    ++count;
    seen.insert(*group);
  }
  EXPECT_EQ(count, 30 * 40 * 3);
  EXPECT_EQ(seen.size(), count);
}

TEST_F(WatchedMemoryTest, WhatLiesOutsideIsNamed)
{
  m_memory.begin_launch("f", {});
  access(0, 0, 9, Access::read, 16);
  access(0, 1, -1, Access::write);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("read 12 bytes past the end of A (f)", "write 4 bytes before the start of C (f)"));
  m_memory.begin_launch("g", {});
  access(0, 0, 2, Access::write);
  m_memory.make_shared(64);
  const std::span<std::byte> shared = m_memory.shared();
  m_memory.record_access(shared.data() + 60, 8, Access::write, nullptr);
  EXPECT_EQ(m_memory.findings().at(2), "write into A, which is read only (g)");
  EXPECT_EQ(m_memory.findings().at(3), "write 4 bytes past the end of shared scratch (g)");
}

TEST_F(WatchedMemoryTest, BesideBuffersThereAreTheStackAndConstants)
{
  static const int constant = 3;
  int outer = 0;
  m_memory.begin_launch("f", {});
  m_memory.set_own_memory(OwnMemory(&constant, &outer + 1));
  m_memory.record_access(&constant, 4, Access::read, &outer);
  m_memory.record_access(&outer, 4, Access::write, &outer);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  m_memory.record_access(&outer - 64, 4, Access::read, &outer);
  const auto elsewhere = std::make_unique<int>();
  m_memory.record_access(elsewhere.get(), 4, Access::read, &outer); // one finding is enough
  m_memory.begin_launch("g", {});
  m_memory.record_access(elsewhere.get(), 4, Access::write, &outer);
  m_memory.begin_launch("h", {});
  m_memory.record_access(&outer + 64, 4, Access::read, &outer);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("read 4 bytes below its stack (f)", "write 4 bytes of memory that is not its own (g)",
                          "read 4 bytes of memory that is not its own (h)"));
}

// Two buffers that are undefined before the call, beside one that is not; every write is recorded.
class UndefinedReadTest : public testing::Test {
protected:
  void access(std::size_t buffer, std::size_t element, Access access, std::size_t bytes = 4)
  {
    m_memory.record_access(m_memory.bytes_of(buffer).data() + 4 * element, bytes, access, nullptr);
  }

  std::vector<std::string> findings()
  {
    m_memory.end_call();
    return m_memory.findings();
  }

  WatchedMemory m_memory{{{40, 4, true, false, "X"}, {40, 4, true, true, "C"}, {9000, 4, true, true, "kept"}},
                         Instrumentation::assembly};
};

TEST_F(UndefinedReadTest, WhatWasWrittenOrFilledOrGivenMayBeRead)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(0, 0, Access::may_read, 40);
  access(1, 2, Access::may_write, 16);
  access(1, 3, Access::may_read, 12);
  m_memory.begin_launch("g", {});
  access(1, 5, Access::may_read);
  m_memory.fill(2, 0, 4);
  access(2, 2000, Access::may_read, 64);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UndefinedReadTest, TheFirstReadOfWhatNothingHasWrittenIsNamed)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(3);
  access(2, 1020, Access::may_write, 16);
  access(2, 1021, Access::may_read, 16); // one element more than was written, in the next page
  access(2, 7, Access::may_read);
  EXPECT_THAT(findings(), ElementsAre("unwritten group 3 reads kept[1024], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, AnUnseenWriteBehindAReadIsNoExcuse)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(1, 4, Access::may_read);
  m_memory.bytes_of(1)[16] ^= std::byte{1};
  EXPECT_THAT(findings(), ElementsAre("unwritten group 0 reads C[4], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, NothingIsSaidOfBuffersThatAreWrittenUnseen)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  for (std::byte& byte : m_memory.bytes_of(2).subspan(0, 64)) {
    byte ^= std::byte{1};
  }
  access(2, 3, Access::may_read);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UndefinedReadTest, NothingIsSaidWhereAllThatWasWrittenUnseenIsRead)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(2, 1, Access::may_read);
  m_memory.bytes_of(2)[12] ^= std::byte{1};
  access(2, 3, Access::may_read);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UndefinedReadTest, ChangingAtomicallyIsReading)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(2, 3, Access::atomic_write);
  EXPECT_THAT(findings(), ElementsAre("unwritten group 0 reads kept[3], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, InterleavedGroupsHaveSharedScratchOfTheirOwn)
{
  m_memory.begin_launch("f", {});
  m_memory.make_shared(64);
  const std::span<std::byte> first = m_memory.shared();
  m_memory.begin_group(0);
  m_memory.record_access(first.data(), 8, Access::may_write, nullptr);
  m_memory.switch_to(1);
  m_memory.begin_group(1);
  EXPECT_NE(m_memory.shared().data(), first.data());
  m_memory.record_access(m_memory.shared().data(), 8, Access::may_write, nullptr);
  m_memory.switch_to(0);
  m_memory.record_access(first.data(), 8, Access::may_read, nullptr);
  access(1, 0, Access::may_write);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UndefinedReadTest, GroupsThatWereNotWatchedMayHaveWrittenEverything)
{
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(1, 4, Access::may_read);
  m_memory.stop_watching();
  m_memory.begin_launch("g", {});
  m_memory.begin_group(0);
  access(2, 4, Access::may_read);
  EXPECT_THAT(findings(), ElementsAre("unwritten group 0 reads C[4], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, WhatAGroupWritesAfterItsLimitIsNoExcuse)
{
  m_memory.limit_group(2);
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(1, 4, Access::may_read);
  access(0, 0, Access::may_read); // the limit is reached
  m_memory.bytes_of(1)[20] ^= std::byte{1};
  EXPECT_THAT(findings(), ElementsAre("unwritten group 0 reads C[4], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, WhatAGroupWritesAfterItsLimitIsNoExcuseForTheNext)
{
  m_memory.limit_group(2);
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(1, 0, Access::may_write);
  access(0, 0, Access::may_read);
  m_memory.bytes_of(1)[20] ^= std::byte{1};
  m_memory.end_group();
  m_memory.begin_group(1);
  access(1, 4, Access::may_read);
  m_memory.end_group();
  m_memory.end_launch();
  EXPECT_THAT(findings(), ElementsAre("unwritten group 1 reads C[4], which nothing has written (f)"));
}

TEST_F(UndefinedReadTest, WhatAGroupWritesAfterItsLimitMayBeReadInALaterLaunch)
{
  m_memory.limit_group(2);
  m_memory.begin_launch("f", {});
  m_memory.begin_group(0);
  access(1, 0, Access::may_write);
  access(0, 0, Access::may_read);
  m_memory.bytes_of(1)[20] ^= std::byte{1}; // of four bytes that it wrote the others were so before
  m_memory.end_group();
  m_memory.end_launch();
  m_memory.begin_launch("g", {});
  m_memory.begin_group(0);
  access(1, 5, Access::may_read);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UndefinedReadTest, SharedScratchIsUndefinedForEachGroup)
{
  m_memory.begin_launch("f", {});
  m_memory.make_shared(64);
  const std::span<std::byte> shared = m_memory.shared();
  const auto write = [&](int value) {
    m_memory.record_access(shared.data() + 8, 4, Access::may_write, nullptr);
    std::ranges::fill(shared.subspan(8, 4), static_cast<std::byte>(value));
  };
  m_memory.begin_group(0);
  write(1);
  m_memory.record_access(shared.data() + 8, 4, Access::may_read, nullptr);
  m_memory.begin_group(1);
  write(2);
  m_memory.record_access(shared.data() + 8, 4, Access::may_read, nullptr);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  m_memory.begin_group(2);
  m_memory.record_access(shared.data() + 8, 4, Access::may_read, nullptr);
  EXPECT_THAT(findings(), ElementsAre("unwritten group 2 reads shared scratch[8], which nothing has written (f)"));
}

} // namespace
} // namespace hone::backend::cpu
