#include "gate/set_ring.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hone::gate {
namespace {

TEST(SetRing, CallsEverySetOnceBeforeAnyTwice)
{
  Random random(1);
  SetRing ring(16, 6);
  for (int round = 0; round < 10; ++round) {
    const auto sets = ring.next(16, random);
    EXPECT_EQ(std::set(sets.begin(), sets.end()).size(), 16U);
  }
}

TEST(SetRing, NoSetComesAgainTooSoon)
{
  Random random(2);
  for (const std::size_t sets : {2U, 7U, 16U, 100U}) {
    for (const std::size_t drawn_from : {std::size_t{1}, sets * 3 / 8}) {
      SetRing ring(sets, drawn_from);
      const auto order = ring.next(20 * sets, random);
      std::map<std::uint32_t, std::size_t> last;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (const auto seen = last.find(order[i]); seen != last.end()) {
          EXPECT_GT(i - seen->second, sets - std::max<std::size_t>(drawn_from, 1));
        }
        last[order[i]] = i;
      }
    }
  }
}

TEST(SetRing, WhatComesNextCannotBeForetold)
{
  Random random(3);
  SetRing ring(64, 24);
  const auto order = ring.next(64 * 50, random);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> followers;
  for (std::size_t i = 1; i < order.size(); ++i) {
    ++followers[{order[i - 1], order[i]}];
  }
  for (const auto& [pair, times] : followers) {
    EXPECT_LT(times, 15) << pair.first << " was followed by " << pair.second; // of 50
  }
}

TEST(SetRing, KeepsTheOrderWhereNothingIsDrawn)
{
  Random random(4);
  SetRing ring(3, 1);
  EXPECT_EQ(ring.next(7, random), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0}));
}

} // namespace
} // namespace hone::gate
