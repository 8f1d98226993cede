#include "backend/cpu/watch_order.h"
#include "backend/cpu/watched_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace hone::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchedMemoryTest : public testing::Test {
protected:
  // Four bytes at an element of buffer 0 (inputs) or 1 (outputs), by a group.
  void touch(int group, std::size_t buffer, std::ptrdiff_t element, Access access, std::size_t bytes = 4)
  {
    m_memory.begin_group(group);
    m_memory.look(m_memory.bytes_of(buffer).data() + 4 * element, bytes, access);
  }

  WatchedMemory m_memory{{{40, 4, false, "A"}, {40, 4, true, "C"}}};
};

TEST_F(WatchedMemoryTest, NothingIsSaidOfHonestGroups)
{
  m_memory.begin_launch("f", {});
  for (int group = 0; group < 10; ++group) {
    touch(group, 0, 0, Access::read, 40);
    touch(group, 1, group, Access::read);
    touch(group, 1, group, Access::write);
    touch(group, 1, group, Access::read);
  }
  m_memory.begin_launch("g", {}); // what the first launch wrote, any group may read
  touch(7, 1, 0, Access::read, 40);
  int elsewhere = 0;
  m_memory.look(&elsewhere, 4, Access::write);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
}

TEST_F(WatchedMemoryTest, WritingWhatWasThereIsWriting)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 0, Access::write, 20);
  touch(1, 1, 4, Access::write, 20);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 writes C[4] (f)"));
}

TEST_F(WatchedMemoryTest, ReadingWhatAnotherGroupWritesIsARaceInEitherOrder)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 3, Access::write);
  touch(1, 1, 3, Access::read);
  m_memory.begin_launch("g", {});
  touch(0, 1, 3, Access::read);
  touch(1, 1, 3, Access::write);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 reads C[3] (f)",
                                               "race group 0 reads and group 1 writes C[3] (g)"));
}

TEST_F(WatchedMemoryTest, WhatMayBeAtomicIsARaceOnlyWhereNothingIsReduced)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 3, Access::may_write);
  touch(1, 1, 3, Access::may_read);
  const std::int64_t reduced[] = {1};
  m_memory.begin_launch("g", reduced);
  touch(0, 1, 3, Access::may_write);
  touch(1, 1, 3, Access::may_write);
  touch(1, 1, 10, Access::may_read);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("race group 0 writes and group 1 reads C[3] (f)", "read 4 bytes past the end of C (g)"));
}

TEST_F(WatchedMemoryTest, ReducedBuffersAreAddedToByAtomicOperationsOnly)
{
  const std::int64_t reduced[] = {1};
  m_memory.begin_launch("f", reduced);
  for (int group = 0; group < 3; ++group) {
    touch(group, 1, 3, Access::atomic_read);
    touch(group, 1, 3, Access::atomic_write);
  }
  touch(3, 1, 4, Access::read);
  touch(3, 1, 4, Access::write);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
  touch(3, 1, 3, Access::read);
  m_memory.begin_launch("g", reduced);
  touch(0, 1, 3, Access::write);
  touch(1, 1, 3, Access::atomic_write);
  m_memory.begin_launch("h", reduced);
  touch(0, 1, 3, Access::read);
  touch(1, 1, 3, Access::atomic_write);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race another group adds to and group 3 reads C[3] (f)",
                                               "race group 0 writes and group 1 adds to C[3] (g)",
                                               "race group 0 reads and group 1 adds to C[3] (h)"));
}

TEST_F(WatchedMemoryTest, AtomicOperationsDoNotLetGroupsMeetElsewhere)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 3, Access::atomic_write);
  touch(1, 1, 3, Access::atomic_read);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes and group 1 reads C[3] (f)"));
}

TEST(WatchOrderTest, EveryGroupComesOnceNeighboursTogether)
{
  constexpr std::int64_t k_rows = 40, k_columns = 30, k_layers = 3;
  WatchOrder order({k_columns, k_rows, k_layers}, 7);
  std::vector<std::int64_t> seen;
  while (const auto group = order.next()) {
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

TEST_F(WatchedMemoryTest, WhatLiesOutsideIsNamed)
{
  m_memory.begin_launch("f", {});
  touch(0, 0, 9, Access::read, 16);
  touch(0, 1, -1, Access::write);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("read 12 bytes past the end of A (f)", "write 4 bytes before the start of C (f)"));
  m_memory.begin_launch("g", {});
  touch(0, 0, 2, Access::write);
  const std::span<std::byte> shared = m_memory.make_shared(64);
  m_memory.look(shared.data() + 60, 8, Access::write);
  EXPECT_EQ(m_memory.findings().at(2), "write into A, which is read only (g)");
  EXPECT_EQ(m_memory.findings().at(3), "write 4 bytes past the end of shared scratch (g)");
}

} // namespace
} // namespace hone::cpu
