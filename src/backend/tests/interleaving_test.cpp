#include "backend/cpu/watch/interleaving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace hone::cpu {
namespace {

constexpr std::array k_kinds{TurnOrder::Kind::drawn, TurnOrder::Kind::crowded, TurnOrder::Kind::held};

// Groups, each of so many stops at atomic operations, as `order` carries them out: the letter of whose turn it is,
// large where it ends.
std::string carried_out(TurnOrder& order, int groups, int stops)
{
  struct Group {
    char name = 0;
    int left = 0;
  };
  std::array<Group, Turns::k_most> at_hand{};
  std::string done;
  for (int begun = 0;;) {
    TurnOrder::UnderWay under_way;
    for (std::size_t turn = 0; turn < at_hand.size(); ++turn) {
      under_way[turn] = at_hand[turn].name != 0;
    }
    const auto turn = order.next(under_way, begun < groups);
    if (!turn) {
      return done;
    }
    Group& group = at_hand[*turn];
    if (group.name == 0) {
      EXPECT_LT(begun, groups);
      group = {static_cast<char>('a' + begun++), stops};
    }
    while (group.left-- > 0 && !order.makes_way()) {
    }
    done += group.left < 0 ? static_cast<char>(group.name - 'a' + 'A') : group.name;
    group = group.left < 0 ? Group{} : group;
  }
}

TEST(TurnOrder, CarriesAllGroupsToTheirEnds)
{
  Random random(3);
  for (const TurnOrder::Kind kind : k_kinds) {
    TurnOrder order(kind, random);
    std::string done = carried_out(order, 20, 3);
    std::erase_if(done, [](char letter) { return letter >= 'a'; });
    std::ranges::sort(done);
    EXPECT_EQ(done, "ABCDEFGHIJKLMNOPQRST");
  }
}

TEST(TurnOrder, OneIsHeldUpWhileOthersComeAndGo)
{
  Random random(4);
  TurnOrder one_by_one(TurnOrder::Kind::held, random, 1);
  EXPECT_EQ(carried_out(one_by_one, 6, 3), "aBaCaDAeFeeE");
  TurnOrder in_pairs(TurnOrder::Kind::held, random, 2);
  EXPECT_EQ(carried_out(in_pairs, 6, 3), "aBCaDEaFA");
  TurnOrder beyond_all(TurnOrder::Kind::held, random, 100);
  EXPECT_EQ(carried_out(beyond_all, 4, 1), "aBCDA");
}

TEST(TurnOrder, WhoWaitsForTheOneThatIsHeldUpLetsItGoOn)
{
  Random random(5);
  TurnOrder order(TurnOrder::Kind::held, random, 100);
  const TurnOrder::UnderWay held(1), both(3);
  EXPECT_EQ(order.next({}, true), 0U);
  EXPECT_EQ(order.next(held, true), 1U);
  EXPECT_FALSE(order.makes_way());
  EXPECT_EQ(order.next(both, true), 0U); // it made way all the same
  EXPECT_TRUE(order.makes_way());
  EXPECT_EQ(order.next(both, true), 1U);
}

} // namespace
} // namespace hone::cpu
