#include "backend/cpu/watch/fibers.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::cpu {
namespace {

TEST(Turns, GoOnWhereTheyMadeWay)
{
  Turns turns;
  std::string done;
  for (std::size_t turn = 0; turn < 2; ++turn) {
    turns.begin(turn, [&, turn] {
      for (char step = 'a'; step < 'd'; ++step) {
        done += std::to_string(turn) + step;
        turns.make_way();
      }
      done += std::to_string(turn) + '.';
    });
  }
  for (const std::size_t turn : {0U, 1U, 1U, 1U, 0U, 1U, 0U, 0U}) {
    EXPECT_TRUE(turns.is_under_way(turn));
    turns.go_on(turn);
  }
  EXPECT_EQ(done, "0a1a1b1c0b1.0c0.");
  EXPECT_FALSE(turns.is_under_way(0) || turns.is_under_way(1));
  turns.begin(0, [&] { done = "again"; });
  turns.go_on(0);
  EXPECT_EQ(done, "again");
  EXPECT_FALSE(turns.is_under_way(0));
}

TEST(Turns, HaveStacksOfTheirOwn)
{
  Turns turns;
  const void* inside = nullptr;
  turns.begin(3, [&] { inside = __builtin_frame_address(0); });
  turns.go_on(3);
  EXPECT_LT(inside, Turns::end_of_stack(3));
  EXPECT_GT(inside, Turns::end_of_stack(2));
}

} // namespace
} // namespace hone::cpu
