#include "backend/runner_abi.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace hone::backend::runner {
namespace {

// Attacks that look for the job in memory would be refused for a wrong reason if its layout changed and they did not.
TEST(RunnerAbi, JobsAreLaidOutAsTwoAttacksExpect)
{
  const char* const both = "change tests/attacks/works-ahead and cheats-when-timed, too";
  EXPECT_EQ(k_abi_magic, 0x484f4e45U) << both;
  EXPECT_EQ(offsetof(Job, magic), 0U) << both;
  EXPECT_EQ(offsetof(Job, block_calls), 16U) << both;
  EXPECT_EQ(offsetof(Job, set_count), 80U) << both;
  EXPECT_EQ(offsetof(Job, buffer_count), 84U) << both;
  EXPECT_EQ(offsetof(Job, buffer_offset), 88U) << both;
}

} // namespace
} // namespace hone::backend::runner
