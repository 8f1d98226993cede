#include "backend/cpu/watched_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchedMemoryTest : public testing::Test {
protected:
  // Four bytes at an element of buffer 0 (inputs) or 1 (outputs), by a group.
  void touch(int group, std::size_t buffer, std::ptrdiff_t element, bool write, std::size_t bytes = 4)
  {
    m_memory.begin_group(group);
    m_memory.look(m_memory.bytes_of(buffer).data() + 4 * element, bytes, write);
  }

  WatchedMemory m_memory{{{40, 4, false, "A"}, {40, 4, true, "C"}}};
};

TEST_F(WatchedMemoryTest, NothingIsSaidOfHonestGroups)
{
  m_memory.begin_launch("f", {});
  for (int group = 0; group < 10; ++group) {
    touch(group, 0, 0, false, 40);
    touch(group, 1, group, false);
    touch(group, 1, group, true);
    touch(group, 1, group, false);
  }
  m_memory.begin_launch("g", {}); // what the first launch wrote, any group may read
  touch(7, 1, 0, false, 40);
  int elsewhere = 0;
  m_memory.look(&elsewhere, 4, true);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
}

TEST_F(WatchedMemoryTest, WritingWhatWasThereIsWriting)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 0, true, 20);
  touch(1, 1, 4, true, 20);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race groups 0 and 1 both write C[4] (f)"));
}

TEST_F(WatchedMemoryTest, ReadingWhatAnotherGroupWritesIsARaceInEitherOrder)
{
  m_memory.begin_launch("f", {});
  touch(0, 1, 3, true);
  touch(1, 1, 3, false);
  m_memory.begin_launch("g", {});
  touch(0, 1, 3, false);
  touch(1, 1, 3, true);
  EXPECT_THAT(m_memory.findings(), ElementsAre("race group 0 writes C[3], which group 1 reads (f)",
                                               "race group 1 writes C[3], which group 0 reads (g)"));
}

TEST_F(WatchedMemoryTest, ReducedBuffersAreAddedToTogether)
{
  const std::int64_t reduced[] = {1};
  m_memory.begin_launch("f", reduced);
  touch(0, 1, 3, true);
  touch(1, 1, 3, true);
  EXPECT_THAT(m_memory.findings(), IsEmpty());
}

TEST_F(WatchedMemoryTest, WhatLiesOutsideIsNamed)
{
  m_memory.begin_launch("f", {});
  touch(0, 0, 9, false, 16);
  touch(0, 1, -1, true);
  EXPECT_THAT(m_memory.findings(),
              ElementsAre("read 12 bytes past the end of A (f)", "write 4 bytes before the start of C (f)"));
  m_memory.begin_launch("g", {});
  touch(0, 0, 2, true);
  const std::span<std::byte> shared = m_memory.make_shared(64);
  m_memory.look(shared.data() + 60, 8, true);
  EXPECT_EQ(m_memory.findings().at(2), "write into A, which is read only (g)");
  EXPECT_EQ(m_memory.findings().at(3), "write 4 bytes past the end of shared scratch (g)");
}

} // namespace
} // namespace hone::cpu
