#include "inputs/input_draw.h"
#include "inputs/value_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace hone::inputs {
namespace {

// A row that is left out of a round may be left out of all calls of a validation.
TEST(InputDraw, ARoundHasEveryRowAsOftenAsItsShareSaysForEveryTensorAndType)
{
  for (const FamilyRows& family : value_table()) {
    InputDraw draw(family.round);
    for (int round = 0; round < 3; ++round) {
      std::map<std::tuple<const ValueRow*, Types, std::size_t>, unsigned> calls;
      for (unsigned i = 0; i < family.round; ++i) {
        const InputSet inputs = draw.of(family.family);
        EXPECT_EQ(inputs.family, family.family);
        for (Types type = 1; type <= k_indices; type <<= 1) {
          for (const std::size_t position : {0, 1, 2}) {
            ++calls[{pick_row(inputs, type, position).row, type, position}];
          }
        }
        draw.of(ValueFamily::mixed == family.family ? ValueFamily::tiny : ValueFamily::mixed); // has rounds of its own
      }
      for (const auto& [key, count] : calls) {
        const auto& [row, type, position] = key;
        if (row->name != "normal/indices-spread-evenly") {
          EXPECT_EQ(count, row->share_for(type)) << row->name << ", type " << type << ", position " << position;
        }
      }
    }
  }
}

// What a row's parameters choose between comes in turn, too.
TEST(InputDraw, TurnsOfARowGoOnFromRoundToRound)
{
  InputDraw draw(7);
  std::map<std::string_view, std::set<std::uint64_t>> ways;
  for (unsigned i = 0; i < 2 * rows_of(ValueFamily::nearly).round; ++i) {
    const PickedRow picked = pick_row(draw.of(ValueFamily::nearly), k_f32, 0);
    ways[picked.row->name].insert(Turns(picked.occurrence).of(2));
  }
  EXPECT_EQ(ways.size(), rows_of(ValueFamily::nearly).rows.size());
  for (const auto& [name, seen] : ways) {
    EXPECT_EQ(seen.size(), 2U) << name;
  }
}

TEST(InputDraw, AForcedRowIsDrawnForItsFamilyAndPlainValuesForOthers)
{
  InputDraw draw(5);
  const auto forced = values_named("patches/islands");
  ASSERT_TRUE(forced);
  draw.force(*forced);
  std::set<std::uint64_t> seeds;
  for (const ValueFamily family : all_value_families()) {
    const InputSet inputs = draw.of(family);
    seeds.insert(inputs.seed);
    for (const std::size_t position : {0, 1, 2}) {
      EXPECT_EQ(pick_row(inputs, k_f32, position).row->name,
                family == ValueFamily::patches ? "patches/islands" : "normal/plain");
    }
  }
  EXPECT_EQ(seeds.size(), all_value_families().size());
}

TEST(InputDraw, TwoOfThreeCallsOfWholeNumbersHaveATopInTurn)
{
  InputDraw draw(9);
  EXPECT_EQ(draw.calls_for_all_tops(), 0U);
  EXPECT_EQ(draw.of(ValueFamily::whole).top, 0);
  draw.set_max_magnitudes({15, 63, 255, 1 << 20});
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
  const unsigned k_calls = rows_of(ValueFamily::extreme).round;
  for (std::size_t round = 0; round < k_rounds; ++round) {
    std::vector<std::uint64_t> order(k_calls);
    for (std::uint64_t& remainder : order) {
      const std::uint64_t seed = draw.of(ValueFamily::extreme).seed;
      seeds.insert(seed);
      remainder = seed % k_calls;
    }
    orders.insert(order);
  }
  EXPECT_EQ(seeds.size(), k_rounds * k_calls);
  EXPECT_EQ(orders.size(), k_rounds);
  EXPECT_NE(InputDraw(3).of(ValueFamily::normal).seed, InputDraw(4).of(ValueFamily::normal).seed);
  EXPECT_EQ(InputDraw(3).of(ValueFamily::normal).seed, InputDraw(3).of(ValueFamily::normal).seed);
}

} // namespace
} // namespace hone::inputs
