#include "tune/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace hone::tune {
namespace {

kernel::TuningSpace space_of(std::vector<kernel::TuningParameter> parameters, std::vector<std::string> constraints)
{
  kernel::TuningSpace space;
  space.parameters = std::move(parameters);
  for (const std::string& text : constraints) {
    auto parsed = kernel::PlanExpression::parse(text, Place{});
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text());
    space.constraints.push_back(*parsed);
  }
  return space;
}

kernel::TuningSpace two_parameters()
{
  return space_of({{"TILE_M", {16, 32, 64}, 32}, {"TILE_N", {8, 16}, 8}}, {"TILE_M * TILE_N <= 512", "TILE_M <= m"});
}

TEST(LegalPoints, KeepsStableOrderAndConstraints)
{
  Random random(1);
  const auto list = legal_points(two_parameters(), {{"m", 32}}, {}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_TRUE(list->complete);
  const std::vector<kernel::TuningPoint> expected = {
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
  const kernel::TuningSpace space = space_of({{"T", {1, 2, 4}, 1}}, {"T <= device.units"});
  const auto list = legal_points(space, {}, {{"device.units", 2}}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->points.size(), 2u);
}

TEST(LegalPoints, LeavesConstraintsOnSharedMemoryToTheGate)
{
  Random random(1);
  const kernel::TuningSpace space = space_of({{"T", {1, 2, 4}, 1}}, {"shared <= 4096", "T < 4"});
  const auto list = legal_points(space, {}, {}, 100, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->points.size(), 2u);
}

TEST(LegalPoints, UnknownNameInConstraintIsAnError)
{
  Random random(1);
  const kernel::TuningSpace space = space_of({{"T", {1, 2}, 1}}, {"T <= q"});
  EXPECT_FALSE(legal_points(space, {{"m", 8}}, {}, 100, random));
}

TEST(LegalPoints, ThinsOutToTheLimitInOrder)
{
  Random random(7);
  const auto list = legal_points(two_parameters(), {{"m", 64}}, {}, 3, random);
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->complete);
  EXPECT_EQ(list->points.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(list->points)); // the space's own order is sorted here
}

TEST(LegalPoints, SamplesHugeSpacesWithoutRepeats)
{
  std::vector<kernel::TuningParameter> parameters;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H"}) {
    parameters.push_back({name, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1});
  }
  Random random(3);
  const auto list = legal_points(space_of(parameters, {"A + B <= 11"}), {}, {}, 50, random);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_FALSE(list->complete);
  EXPECT_EQ(list->points.size(), 50u);
  EXPECT_EQ(std::set<kernel::TuningPoint>(list->points.begin(), list->points.end()).size(), 50u);
  EXPECT_TRUE(std::ranges::all_of(
    list->points, [](const kernel::TuningPoint& point) { return point.at("A") + point.at("B") <= 11; }));
}

TEST(LegalPoints, SpaceWithoutParametersHasOnePoint)
{
  Random random(1);
  const auto list = legal_points({}, {}, {}, 10, random);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->points, std::vector<kernel::TuningPoint>{kernel::TuningPoint{}});
}

TuningProblem twenty_points(std::uint64_t seed)
{
  TuningProblem problem;
  problem.space.parameters = {{"T", {}, 0}};
  for (std::int64_t i = 0; i < 20; ++i) {
    problem.space.parameters.front().values.push_back(i);
    if (i > 0) {
      problem.points.push_back({{"T", i}});
    }
  }
  problem.start = {{"T", 0}};
  problem.seed = seed;
  return problem;
}

// Reports each proposal before the next one is asked for.
std::vector<kernel::TuningPoint> all_proposals(Strategy& strategy, std::uint64_t seed)
{
  strategy.begin(twenty_points(seed));
  std::vector<kernel::TuningPoint> proposed;
  while (const auto proposal = strategy.next()) {
    EXPECT_GE(proposal->pairs, 1);
    strategy.report({proposal->point, true, 1.0, "correct", proposal->pairs});
    proposed.push_back(proposal->point);
  }
  return proposed;
}

TEST(Strategies, EachProposesEveryPoint)
{
  for (const std::string& name : strategy_names()) {
    auto strategy = make_strategy(name);
    ASSERT_TRUE(strategy);
    EXPECT_EQ((*strategy)->name(), name);
    std::vector<kernel::TuningPoint> proposed = all_proposals(**strategy, 5);
    EXPECT_EQ(std::set<kernel::TuningPoint>(proposed.begin(), proposed.end()).size(), 19u) << name;
    if (name != "racing") { // which measures again those that may be the fastest
      EXPECT_EQ(proposed.size(), 19u) << name;
    }
  }
}

// As a tuning session does, which has the next point compiled while one is measured.
TEST(Strategies, ReportsMayComeOneLate)
{
  for (const std::string& name : strategy_names()) {
    auto strategy = make_strategy(name);
    ASSERT_TRUE(strategy);
    (*strategy)->begin(twenty_points(3));
    std::set<kernel::TuningPoint> proposed;
    auto proposal = (*strategy)->next();
    while (proposal) {
      auto following = (*strategy)->next();
      (*strategy)->report({proposal->point, true, 1.0, "correct", proposal->pairs});
      proposed.insert(proposal->point);
      proposal = following ? std::move(following) : (*strategy)->next();
    }
    EXPECT_GE(proposed.size(), 19u) << name;
  }
}

TEST(Strategies, PointsThatFailAreNotProposedAgain)
{
  for (const std::string& name : strategy_names()) {
    auto strategy = make_strategy(name);
    ASSERT_TRUE(strategy);
    (*strategy)->begin(twenty_points(3));
    std::map<kernel::TuningPoint, int> proposed;
    while (const auto proposal = (*strategy)->next()) {
      ++proposed[proposal->point];
      (*strategy)->report({proposal->point, false, 0, "compile", proposal->pairs});
    }
    EXPECT_EQ(proposed.size(), 19u) << name;
    EXPECT_TRUE(std::ranges::all_of(proposed, [](const auto& entry) { return entry.second == 1; })) << name;
  }
}

TEST(Strategies, ExhaustiveKeepsTheOrder)
{
  auto strategy = make_strategy("exhaustive");
  ASSERT_TRUE(strategy);
  EXPECT_TRUE(std::ranges::is_sorted(all_proposals(**strategy, 5)));
}

TEST(Strategies, EachFollowsItsSeed)
{
  for (const std::string& name : strategy_names()) {
    auto strategy = make_strategy(name);
    ASSERT_TRUE(strategy);
    const auto first = all_proposals(**strategy, 5);
    EXPECT_EQ(first, all_proposals(**strategy, 5)) << name;
    if (name == "random" || name == "genetic") { // others may go the one way there is along a line
      EXPECT_NE(first, all_proposals(**strategy, 6)) << name;
    }
  }
}

// Two parameters with a smooth optimum away from the start.
struct Bowl {
  TuningProblem problem;

  Bowl()
  {
    const std::vector<std::int64_t> values{1, 2, 3, 4, 5, 6, 7, 8, 9};
    problem.space.parameters = {{"A", values, 2}, {"B", values, 2}};
    problem.start = {{"A", 2}, {"B", 2}};
    for (const std::int64_t a : values) {
      for (const std::int64_t b : values) {
        problem.points.push_back({{"A", a}, {"B", b}});
      }
    }
    std::erase(problem.points, problem.start);
  }

  static double speed(const kernel::TuningPoint& point)
  {
    const auto a = static_cast<double>(point.at("A")), b = static_cast<double>(point.at("B"));
    return 1 / (10 + (a - 7) * (a - 7) + (b - 6) * (b - 6));
  }

  // Different points that were measured before the best one.
  std::size_t points_before_the_best(const std::string& name, std::uint64_t seed) const
  {
    auto strategy = make_strategy(name);
    EXPECT_TRUE(strategy);
    TuningProblem own = problem;
    own.seed = seed;
    (*strategy)->begin(std::move(own));
    std::set<kernel::TuningPoint> tried;
    while (const auto proposal = (*strategy)->next()) {
      if (proposal->point == kernel::TuningPoint{{"A", 7}, {"B", 6}}) {
        break;
      }
      tried.insert(proposal->point);
      (*strategy)->report(
        {proposal->point, true, speed(proposal->point) / speed(problem.start), "correct", proposal->pairs});
    }
    return tried.size();
  }
};

TEST(Strategies, ThoseThatLearnFindASmoothOptimumSoon)
{
  const Bowl bowl;
  const std::map<std::string, std::size_t> most{{"racing", 25}, {"local-search", 45}};
  for (const auto& [name, points] : most) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      EXPECT_LT(bowl.points_before_the_best(name, seed), points) << name << ", seed " << seed;
    }
  }
}

// A point that is clearly slower gets one look; those near the lead get more.
TEST(Racing, MeasuresAgainOnlyWhatMayBeTheFastest)
{
  const Bowl bowl;
  auto strategy = make_strategy("racing");
  ASSERT_TRUE(strategy);
  (*strategy)->begin(bowl.problem);
  std::map<kernel::TuningPoint, int> pairs;
  while (const auto proposal = (*strategy)->next()) {
    pairs[proposal->point] += proposal->pairs;
    (*strategy)->report({proposal->point, true, Bowl::speed(proposal->point) / Bowl::speed(bowl.problem.start),
                         "correct", proposal->pairs});
  }
  EXPECT_EQ(pairs.size(), bowl.problem.points.size());
  EXPECT_EQ(pairs.at({{"A", 7}, {"B", 6}}), 4);
  EXPECT_EQ(pairs.at({{"A", 1}, {"B", 1}}), 1);
}

TEST(Racing, BeginsWithWhatIsExpectedToBeCheap)
{
  TuningProblem problem = twenty_points(1);
  problem.cost = [](const kernel::TuningPoint& point) { return point.at("T") < 10 ? 1.0 : 2.0; };
  auto strategy = make_strategy("racing");
  ASSERT_TRUE(strategy);
  (*strategy)->begin(std::move(problem));
  for (int i = 0; i < 4; ++i) {
    const auto proposal = (*strategy)->next();
    ASSERT_TRUE(proposal);
    EXPECT_LT(proposal->point.at("T"), 10);
    (*strategy)->report({proposal->point, true, 1.0, "correct", proposal->pairs});
  }
}

TEST(Strategies, UnknownNameSuggestsTheNearest)
{
  const auto strategy = make_strategy("randon");
  ASSERT_FALSE(strategy);
  EXPECT_NE(strategy.error().hint.find("random"), std::string::npos);
}

} // namespace
} // namespace hone::tune
