#include "tune/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone {
namespace {

TuningSpace space_of(std::vector<TuningParameter> parameters, std::vector<std::string> constraints)
{
  TuningSpace space;
  space.parameters = std::move(parameters);
  for (const std::string& text : constraints) {
    auto parsed = PlanExpression::parse(text, Place{});
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text());
    space.constraints.push_back(*parsed);
  }
  return space;
}

TuningSpace small_space()
{
  return space_of({{"TILE_M", {16, 32, 64}, 32}, {"TILE_N", {8, 16}, 8}}, {"TILE_M * TILE_N <= 512", "TILE_M <= m"});
}

TEST(LegalPoints, KeepsStableOrderAndConstraints)
{
  Random random(1);
  const auto list = legal_points(small_space(), {{"m", 32}}, {}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_TRUE(list->complete);
  const std::vector<TuningPoint> expected = {
    {{"TILE_M", 16}, {"TILE_N", 8}},
    {{"TILE_M", 16}, {"TILE_N", 16}},
    {{"TILE_M", 32}, {"TILE_N", 8}},
    {{"TILE_M", 32}, {"TILE_N", 16}},
  };
  EXPECT_EQ(list->points, expected);
}

TEST(LegalPoints, UsesDeviceFacts)
{
  Random random(1);
  const TuningSpace space = space_of({{"T", {1, 2, 4}, 1}}, {"T <= device.units"});
  const auto list = legal_points(space, {}, {{"device.units", 2}}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->points.size(), 2u);
}

TEST(LegalPoints, LeavesConstraintsOnSharedMemoryToTheGate)
{
  Random random(1);
  const TuningSpace space = space_of({{"T", {1, 2, 4}, 1}}, {"shared <= 4096", "T < 4"});
  const auto list = legal_points(space, {}, {}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->points.size(), 2u);
}

TEST(LegalPoints, UnknownNameInConstraintIsAnError)
{
  Random random(1);
  const TuningSpace space = space_of({{"T", {1, 2}, 1}}, {"T <= q"});
  EXPECT_FALSE(legal_points(space, {{"m", 8}}, {}, 100, random));
}

TEST(LegalPoints, ThinsOutToTheLimitInOrder)
{
  Random random(7);
  const auto list = legal_points(small_space(), {{"m", 64}}, {}, 3, random);
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->complete);
  EXPECT_EQ(list->points.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(list->points)); // the space's own order is sorted here
}

TEST(LegalPoints, SamplesHugeSpacesWithoutRepeats)
{
  std::vector<TuningParameter> parameters;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H"}) {
    parameters.push_back({name, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1});
  }
  Random random(3);
  const auto list = legal_points(space_of(parameters, {"A + B <= 11"}), {}, {}, 50, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_FALSE(list->complete);
  EXPECT_EQ(list->points.size(), 50u);
  EXPECT_EQ(std::set<TuningPoint>(list->points.begin(), list->points.end()).size(), 50u);
  EXPECT_TRUE(
    std::ranges::all_of(list->points, [](const TuningPoint& point) { return point.at("A") + point.at("B") <= 11; }));
}

TEST(LegalPoints, SpaceWithoutParametersHasOnePoint)
{
  Random random(1);
  const auto list = legal_points({}, {}, {}, 10, random);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->points, std::vector<TuningPoint>{TuningPoint{}});
}

std::vector<TuningPoint> all_proposals(Strategy& strategy, std::uint64_t seed)
{
  std::vector<TuningPoint> points;
  for (std::int64_t i = 0; i < 20; ++i) {
    points.push_back({{"T", i}});
  }
  static const TuningSpace k_space{};
  strategy.begin(k_space, {}, points, seed);
  std::vector<TuningPoint> proposed;
  while (auto point = strategy.next()) {
    strategy.report({*point, true, 1.0, "correct"});
    proposed.push_back(*point);
  }
  return proposed;
}

TEST(Strategies, EachProposesEveryPointOnce)
{
  for (const std::string& name : strategy_names()) {
    auto strategy = make_strategy(name);
    ASSERT_TRUE(strategy);
    EXPECT_EQ((*strategy)->name(), name);
    std::vector<TuningPoint> proposed = all_proposals(**strategy, 5);
    EXPECT_EQ(proposed.size(), 20u) << name;
    EXPECT_EQ(std::set<TuningPoint>(proposed.begin(), proposed.end()).size(), 20u) << name;
  }
}

TEST(Strategies, ExhaustiveKeepsTheOrder)
{
  auto strategy = make_strategy("exhaustive");
  ASSERT_TRUE(strategy);
  EXPECT_TRUE(std::ranges::is_sorted(all_proposals(**strategy, 5)));
}

TEST(Strategies, RandomFollowsItsSeed)
{
  auto strategy = make_strategy("random");
  ASSERT_TRUE(strategy);
  const auto first = all_proposals(**strategy, 5);
  EXPECT_EQ(first, all_proposals(**strategy, 5));
  EXPECT_NE(first, all_proposals(**strategy, 6));
  EXPECT_FALSE(std::ranges::is_sorted(first));
}

// Two parameters with a smooth optimum away from the start: found after a small part of the 81 points.
TEST(Strategies, LocalSearchFollowsWhatGetsBetter)
{
  TuningSpace space;
  std::vector<std::int64_t> values{1, 2, 3, 4, 5, 6, 7, 8, 9};
  space.parameters = {{"A", values, 2}, {"B", values, 2}};
  const TuningPoint start{{"A", 2}, {"B", 2}};
  std::vector<TuningPoint> points;
  for (const std::int64_t a : values) {
    for (const std::int64_t b : values) {
      points.push_back({{"A", a}, {"B", b}});
    }
  }
  std::erase(points, start);
  const auto speed = [](const TuningPoint& point) {
    const auto a = static_cast<double>(point.at("A")), b = static_cast<double>(point.at("B"));
    return 1 / (10 + (a - 7) * (a - 7) + (b - 6) * (b - 6));
  };
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    auto strategy = make_strategy("local-search");
    ASSERT_TRUE(strategy);
    (*strategy)->begin(space, start, points, seed);
    std::size_t trials = 0;
    for (auto point = (*strategy)->next(); point; point = (*strategy)->next()) {
      ++trials;
      if (*point == TuningPoint{{"A", 7}, {"B", 6}}) {
        break;
      }
      (*strategy)->report({*point, true, speed(*point) / speed(start), "correct"});
    }
    EXPECT_LT(trials, 45u) << "seed " << seed;
  }
}

TEST(Strategies, UnknownNameSuggestsTheNearest)
{
  const auto strategy = make_strategy("randon");
  ASSERT_FALSE(strategy);
  EXPECT_NE(strategy.error().hint.find("random"), std::string::npos);
}

} // namespace
} // namespace hone
