#include "inputs/input_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace hone {
namespace {

TEST(InputDraw, ARoundHasEveryRemainderThatDividesIt)
{
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    InputDraw draw(seed);
    for (int round = 0; round < 3; ++round) {
      std::set<std::uint64_t> remainders;
      for (std::uint64_t i = 0; i < InputDraw::k_round; ++i) {
        const InputSet inputs = draw.of(ValueFamily::extreme);
        EXPECT_EQ(inputs.family, ValueFamily::extreme);
        remainders.insert(inputs.seed % InputDraw::k_round);
        draw.of(ValueFamily::mixed); // has turns of its own
      }
      EXPECT_EQ(remainders.size(), InputDraw::k_round) << "seed " << seed << ", round " << round;
    }
  }
}

TEST(InputDraw, ARoundHasNearlyAllOfWhatLaterBitsChooseBetween)
{
  InputDraw draw(7);
  std::vector<std::uint64_t> seeds(InputDraw::k_round);
  std::ranges::generate(seeds, [&] { return draw.of(ValueFamily::nearly).seed; });
  for (int shift = 0; shift <= 10; ++shift) {
    std::set<std::uint64_t> eighths;
    for (const std::uint64_t seed : seeds) {
      eighths.insert((seed >> shift) % 8);
    }
    EXPECT_GE(eighths.size(), 7U) << "shifted by " << shift;
  }
}

TEST(InputDraw, TwoOfThreeCallsOfWholeNumbersHaveATopInTurn)
{
  InputDraw draw(9);
  EXPECT_EQ(draw.calls_for_all_tops(), 0U);
  EXPECT_EQ(draw.of(ValueFamily::whole).top, 0);
  draw.set_tops({15, 63, 255, 1 << 20});
  std::multiset<std::int64_t> tops;
  for (std::size_t call = 0; call < draw.calls_for_all_tops(); ++call) {
    tops.insert(draw.of(ValueFamily::whole).top);
    EXPECT_EQ(draw.of(ValueFamily::normal).top, 0);
  }
  EXPECT_EQ(tops, (std::multiset<std::int64_t>{0, 0, 15, 63, 255, 1 << 20}));
}

TEST(InputDraw, DrawsAnotherSeedEachTimeAndAnotherOrderEachRound)
{
  InputDraw draw(3);
  std::set<std::uint64_t> seeds;
  std::set<std::vector<std::uint64_t>> orders;
  constexpr std::size_t k_rounds = 4;
  for (std::size_t round = 0; round < k_rounds; ++round) {
    std::vector<std::uint64_t> order(InputDraw::k_round);
    for (std::uint64_t& remainder : order) {
      const std::uint64_t seed = draw.of(ValueFamily::normal).seed;
      seeds.insert(seed);
      remainder = seed % InputDraw::k_round;
    }
    orders.insert(order);
  }
  EXPECT_EQ(seeds.size(), k_rounds * InputDraw::k_round);
  EXPECT_EQ(orders.size(), k_rounds);
  EXPECT_NE(InputDraw(3).of(ValueFamily::normal).seed, InputDraw(4).of(ValueFamily::normal).seed);
  EXPECT_EQ(InputDraw(3).of(ValueFamily::normal).seed, InputDraw(3).of(ValueFamily::normal).seed);
}

} // namespace
} // namespace hone
