#include "backend/cpu/watch/fibers.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::backend::cpu {
namespace {

TEST(Fibers, ResumeWhereTheyYielded)
{
  Fibers fibers;
  std::string done;
  for (std::size_t fiber = 0; fiber < 2; ++fiber) {
    fibers.start(fiber, [&, fiber] {
      for (char step = 'a'; step < 'd'; ++step) {
        done += std::to_string(fiber) + step;
        fibers.yield();
      }
      done += std::to_string(fiber) + '.';
    });
  }
  for (const std::size_t fiber : {0U, 1U, 1U, 1U, 0U, 1U, 0U, 0U}) {
    EXPECT_TRUE(fibers.is_active(fiber));
    fibers.resume(fiber);
  }
  EXPECT_EQ(done, "0a1a1b1c0b1.0c0.");
  EXPECT_FALSE(fibers.is_active(0) || fibers.is_active(1));
  fibers.start(0, [&] { done = "again"; });
  fibers.resume(0);
  EXPECT_EQ(done, "again");
  EXPECT_FALSE(fibers.is_active(0));
}

TEST(Fibers, HaveStacksOfTheirOwn)
{
  Fibers fibers;
  const void* inside = nullptr;
  fibers.start(3, [&] { inside = __builtin_frame_address(0); });
  fibers.resume(3);
  EXPECT_LT(inside, Fibers::stack_end(3));
  EXPECT_GT(inside, Fibers::stack_end(2));
}

} // namespace
} // namespace hone::backend::cpu
