#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

TEST(Beam, TakesStepsUntilNoneIsLeft)
{
  World world;
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.8}, {"b", 0.5}, {"c", 1.5}});
  const auto outcome = world.run_named("beam");
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b"}));
}

// Whoever always takes the best move takes `a` and stands still.
TEST(Beam, GoesOnFromTheSecondBest)
{
  World world;
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    if (steps.contains("a")) {
      return 0.5;
    }
    return steps.contains("b") ? (steps.contains("c") ? 0.1 : 0.6) : 1.0;
  };
  const auto greedy = world.run_named("greedy");
  ASSERT_TRUE(greedy) << greedy.error().text();
  EXPECT_EQ(world.steps_at(greedy->best), Steps{"a"});
  const auto outcome = world.run_named("beam");
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"b", "c"}));
}

TEST(Beam, KeepsASeatForAStepThatPaysLater)
{
  World world;
  for (const char* name : {"w", "x", "y", "z"}) {
    world.add(name);
  }
  world.add("tile", catalogue::Speed::later);
  world.add("vectors");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    if (steps.contains("tile")) {
      return steps.contains("vectors") ? 0.01 : 3.0;
    }
    return 1.0 - 0.1 * static_cast<double>(steps.size() - steps.count("vectors"));
  };
  const auto outcome = world.run_named("beam");
  ASSERT_TRUE(outcome) << outcome.error().text();
  const Steps best = world.steps_at(outcome->best);
  EXPECT_TRUE(best.contains("tile") && best.contains("vectors"));
}

TEST(Beam, NeverJudgesTheSameSourceTwice)
{
  World world;
  for (const char* name : {"a", "b", "c", "d"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.9}, {"b", 0.8}, {"c", 0.7}, {"d", 0.6}});
  const auto outcome = world.run_named("beam");
  ASSERT_TRUE(outcome) << outcome.error().text();
  std::set<std::string> judged;
  for (const record::Job& job : world.executor.jobs) {
    if (world.catalogue.end()
        != std::ranges::find(world.catalogue, job.transformation, &catalogue::Transformation::name)) {
      EXPECT_TRUE(judged.insert(job.contender.candidate.hash()).second) << job.contender.candidate.device_source();
    }
  }
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b", "c", "d"}));
}

TEST(Beam, AClimbThatIsDoneIsNotDoneAgain)
{
  World world;
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.8}, {"b", 0.5}, {"c", 0.9}});
  const auto first = world.run_named("beam");
  ASSERT_TRUE(first) << first.error().text();
  const auto steps = [&] {
    return std::ranges::count_if(world.executor.jobs,
                                 [](const record::Job& job) { return job.transformation.size() == 1; });
  };
  const auto before = steps();
  world.reopen();
  const auto second = world.run_named("beam");
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(steps(), before);
  EXPECT_EQ(second->best, first->best);
}

TEST(Beam, FollowsNoRecipe)
{
  EXPECT_FALSE(make_policy("beam", "steps.toml"));
}

} // namespace
} // namespace hone::policy
