#include "backend/cpu/watch/interleaving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace hone::backend::cpu {
namespace {

constexpr std::array k_kinds{Interleaving::Kind::random, Interleaving::Kind::dense, Interleaving::Kind::delayed};

// The schedule of groups with so many atomic operations each: the letter of the group that runs, upper case where it
// finishes.
std::string schedule_of(Interleaving& order, int groups, int operations)
{
  struct Group {
    char name = 0;
    int left = 0;
  };
  std::array<Group, Fibers::k_max> fibers{};
  std::string done;
  for (int begun = 0;;) {
    Interleaving::ActiveFibers active;
    for (std::size_t fiber = 0; fiber < fibers.size(); ++fiber) {
      active[fiber] = fibers[fiber].name != 0;
    }
    const auto fiber = order.choose_next(active, begun < groups);
    if (!fiber) {
      return done;
    }
    Group& group = fibers[*fiber];
    if (group.name == 0) {
      EXPECT_LT(begun, groups);
      group = {static_cast<char>('a' + begun++), operations};
    }
    while (group.left-- > 0 && !order.draw_yield()) {
    }
    done += group.left < 0 ? static_cast<char>(group.name - 'a' + 'A') : group.name;
    group = group.left < 0 ? Group{} : group;
  }
}

TEST(Interleaving, FinishesAllGroups)
{
  Random random(3);
  for (const Interleaving::Kind kind : k_kinds) {
    Interleaving order(kind, random);
    std::string done = schedule_of(order, 20, 3);
    std::erase_if(done, [](char letter) { return letter >= 'a'; });
    std::ranges::sort(done);
    EXPECT_EQ(done, "ABCDEFGHIJKLMNOPQRST");
  }
}

TEST(Interleaving, OneGroupIsDelayedWhileOthersFinish)
{
  Random random(4);
  Interleaving one_by_one(Interleaving::Kind::delayed, random, 1);
  EXPECT_EQ(schedule_of(one_by_one, 6, 3), "aBaCaDAeFeeE");
  Interleaving in_pairs(Interleaving::Kind::delayed, random, 2);
  EXPECT_EQ(schedule_of(in_pairs, 6, 3), "aBCaDEaFA");
  Interleaving beyond_all(Interleaving::Kind::delayed, random, 100);
  EXPECT_EQ(schedule_of(beyond_all, 4, 1), "aBCDA");
}

TEST(Interleaving, AGroupThatWaitsForTheDelayedOneAlternatesWithIt)
{
  Random random(5);
  Interleaving order(Interleaving::Kind::delayed, random, 100);
  const Interleaving::ActiveFibers delayed(1), both(3);
  EXPECT_EQ(order.choose_next({}, true), 0U);
  EXPECT_EQ(order.choose_next(delayed, true), 1U);
  EXPECT_FALSE(order.draw_yield());
  EXPECT_EQ(order.choose_next(both, true), 0U); // it yielded all the same
  EXPECT_TRUE(order.draw_yield());
  EXPECT_EQ(order.choose_next(both, true), 1U);
}

} // namespace
} // namespace hone::backend::cpu
