#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

TEST(Greedy, TakesTheBestMoveUntilNoneIsLeft)
{
  World world;
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.8}, {"b", 0.5}, {"c", 1.5}});
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  const store::Checkpoint best = world.checkpoint(outcome->best);
  EXPECT_EQ(fakes::steps_of(best.candidate), (Steps{"a", "b"}));
  EXPECT_EQ(best.transformation, "a"); // b, the larger gain, came first
}

TEST(Greedy, LooksAheadFromStepsThatPayLater)
{
  World world;
  world.add("small");
  world.add("tile", catalogue::Speed::later);
  world.add("vectors");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    const double small = steps.contains("small") ? 0.9 : 1.0;
    if (steps.contains("tile")) {
      return small * (steps.contains("vectors") ? 0.1 : 3.0);
    }
    return small;
  };
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"small", "tile", "vectors"}));
}

TEST(Greedy, LooksTwoStepsAhead)
{
  World world;
  world.add("tile", catalogue::Speed::later);
  world.add("registers", catalogue::Speed::later);
  world.add("vectors");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    return steps.size() == 3 ? 0.1 : 1.0 + 0.5 * static_cast<double>(steps.size());
  };
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"registers", "tile", "vectors"}));
}

TEST(Greedy, NeverJudgesTheSameSourceTwice)
{
  World world;
  for (const char* name : {"a", "b", "c", "d"}) {
    world.add(name, catalogue::Speed::later);
  }
  world.executor.time = factors({{"a", 0.9}, {"b", 1.1}, {"c", 1.2}, {"d", 0.7}});
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  std::set<std::string> sources;
  for (const record::Job& job : world.executor.jobs) {
    if (job.transformation != k_final_step) {
      EXPECT_TRUE(sources.insert(job.contender.candidate.hash()).second) << job.contender.candidate.device_source();
    }
  }
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "d"}));
}

TEST(Greedy, TakesANeutralStepWhenItOpensTheWay)
{
  World world;
  world.add("macros", catalogue::Speed::neutral);
  world.add("pack");
  world.catalogue.back().after = {"macros"};
  world.executor.time = factors({{"pack", 0.5}});
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"macros", "pack"}));
}

TEST(Greedy, TunesAtTheEnd)
{
  World world;
  world.add("tile");
  world.engine.with_parameter = {"tile"};
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
    return steps.empty() ? 1.0 : 0.5 / static_cast<double>(point.at("T"));
  };
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.checkpoint(outcome->best).point.at("T"), 4);
}

TEST(Greedy, EndsGracefullyWhereNothingApplies)
{
  World world(fakes::row_maximum());
  world.add("a");
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->best, outcome->start);
  EXPECT_FALSE(outcome->note.empty());
}

TEST(Policies, AreMadeByName)
{
  for (const std::string& name : policy_names()) {
    const auto policy = make_policy(name, {});
    ASSERT_TRUE(policy);
    EXPECT_EQ((*policy)->name(), name);
  }
  const auto unknown = make_policy("gredy", {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().hint, testing::HasSubstr("greedy"));
  EXPECT_FALSE(make_policy("greedy", "some-recipe.toml"));
}

} // namespace
} // namespace hone::policy
