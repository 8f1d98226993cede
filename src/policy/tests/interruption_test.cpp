#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

const std::vector<std::string> k_steps = {"a", "tile", "b", "c", "10"};

// A climb with something of everything.
struct ClimbWorld : World {
  ClimbWorld()
  {
    add("a");
    add("tile", catalogue::Speed::later);
    add("b");
    add("c");
    engine.with_parameter = {"tile"};
    executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
      const double tuned = point.contains("T") ? 1.0 / static_cast<double>(point.at("T")) : 1.0;
      return tuned * factors({{"a", 0.5}, {"tile", 1.5}, {"b", 0.5}, {"c", 1.1}})(steps, point);
    };
  }
};

TEST(Resume, AFinishedClimbAsksForNothing)
{
  ClimbWorld world;
  const auto first = world.run_sequence(k_steps);
  ASSERT_TRUE(first) << first.error().text();
  world.executor.jobs.clear();
  world.reopen();
  const auto second = world.run_sequence(k_steps);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_TRUE(world.executor.jobs.empty());
  EXPECT_EQ(second->best, first->best);
  EXPECT_EQ(second->start, first->start);
}

// A fake job takes half a second of the device, and here ten seconds of the clock.
TEST(Limits, EndAClimbOverAllItsRunsAndAreRaisedToGoOn)
{
  const auto run = [](ClimbWorld& world, std::optional<double> device_seconds, std::optional<double> minutes) {
    PolicyContext context = world.context();
    context.budget = std::chrono::seconds(100'000);
    context.most_device_seconds = device_seconds;
    context.most_minutes = minutes;
    const auto policy = make_policy("greedy", {});
    EXPECT_TRUE(policy);
    return (*policy)->run(context);
  };
  for (const bool by_device : {true, false}) {
    ClimbWorld world;
    world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(10); };
    const auto limit = [&](double jobs) {
      return by_device ? run(world, jobs / 2, {}) : run(world, {}, jobs * 10 / 60);
    };
    const auto first = limit(3);
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_TRUE(first->stopped);
    EXPECT_THAT(first->note, testing::HasSubstr(by_device ? "--max-device-seconds" : "--max-minutes"));
    const std::size_t jobs = world.executor.jobs.size(); // the last word on the best is still given
    EXPECT_GE(jobs, 3u);
    EXPECT_LE(jobs, 4u);
    world.reopen();
    ASSERT_TRUE(limit(3));
    EXPECT_EQ(world.executor.jobs.size(), jobs) << "what earlier runs spent counts";
    world.reopen();
    const auto whole = limit(1000);
    ASSERT_TRUE(whole) << whole.error().text();
    EXPECT_FALSE(whole->stopped);
    EXPECT_GT(world.executor.jobs.size(), jobs + 4);
  }
}

TEST(Limits, EndATuningSessionToo)
{
  World world;
  world.engine.with_parameter = {"tile"};
  world.add("tile");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
    const double tuned = point.contains("T") ? 1.0 / static_cast<double>(point.at("T")) : 1.0;
    return tuned * factors({{"tile", 0.5}})(steps, point);
  };
  world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(10); };
  const auto tried = [&](std::optional<double> minutes) {
    PolicyContext context = world.context();
    context.budget = std::chrono::seconds(100'000);
    context.most_minutes = minutes;
    const auto policy = make_policy("greedy", {});
    EXPECT_TRUE(policy && (*policy)->run(context));
    return world.executor.count(k_trial_step);
  };
  EXPECT_EQ(tried(29.0 / 60), 1u) << "the start, a step and one point take half a minute";
  world.reopen();
  EXPECT_GT(tried({}), 1u);
}

TEST(Resume, AnInterruptedClimbGoesOnWhereItStood)
{
  ClimbWorld whole;
  const auto expected = whole.run_sequence(k_steps);
  ASSERT_TRUE(expected);
  const std::size_t jobs = whole.executor.jobs.size();
  for (std::size_t interrupted_at = 2; interrupted_at < jobs; interrupted_at += 3) {
    ClimbWorld world;
    world.executor.before = [&](const record::Job&) {
      if (world.executor.jobs.size() + 1 == interrupted_at) {
        world.stop.request_stop();
      }
    };
    const auto first = world.run_sequence(k_steps);
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_TRUE(first->stopped);
    EXPECT_EQ(world.executor.jobs.size(), interrupted_at);
    world.stop = std::stop_source();
    world.executor.before = [](const record::Job&) {};
    world.reopen();
    const auto second = world.run_sequence(k_steps);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ(world.executor.jobs.size(), jobs);
    EXPECT_EQ(world.steps_at(second->best), whole.steps_at(expected->best));
    EXPECT_EQ(world.checkpoint(second->best).point, whole.checkpoint(expected->best).point);
  }
}

TEST(Resume, NeverFallsBehindAnEarlierBest)
{
  ClimbWorld world;
  const auto first = world.run_sequence(k_steps);
  ASSERT_TRUE(first) << first.error().text();
  world.reopen();
  world.stop.request_stop();
  const auto second = world.run_sequence(k_steps);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->best, first->best);
  EXPECT_EQ(world.checkpoint("best").id, first->best);
}

TEST(Interruption, KeepsTheBestSoFarAndSkipsTheFinal)
{
  ClimbWorld world;
  world.executor.before = [&](const record::Job& job) {
    if (job.transformation == "tile") {
      world.stop.request_stop();
    }
  };
  const auto outcome = world.run_sequence(k_steps);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_TRUE(outcome->stopped);
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"a"});
  EXPECT_EQ(world.executor.count(k_final_step), 0u);
}

TEST(Interruption, AJobThatFailedOfItIsNotHeldAgainstTheCandidate)
{
  ClimbWorld world;
  world.executor.before = [&](const record::Job& job) {
    if (job.transformation == "a") {
      world.stop.request_stop();
    }
  };
  world.executor.status = [](const record::Job& job) {
    return job.transformation == "a" ? record::Status::runtime : record::Status::correct;
  };
  const auto outcome = world.run_sequence(k_steps);
  ASSERT_TRUE(outcome) << outcome.error().text();
  const auto steps = world.workflow->steps();
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->size(), 1u); // the start only
}

TEST(Budget, EndsTheSearchButNotTheFinalJudgement)
{
  ClimbWorld world;
  world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(30); };
  const auto outcome = world.run_sequence(k_steps); // 85 s for the search: the start, a, tile
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_TRUE(outcome->stopped);
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"a"});
  EXPECT_EQ(world.executor.jobs.size(), 4u);
  EXPECT_EQ(world.executor.count(k_final_step), 1u);
}

TEST(Budget, BoundsGreedyToo)
{
  ClimbWorld world;
  world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(20); };
  const auto outcome = world.run_greedy();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_LE(world.executor.jobs.size(), 6u);
  EXPECT_EQ(world.executor.count(k_final_step), 1u);
}

TEST(Resume, RecordsOfAnotherEnvironmentAreMeasuredAgain)
{
  ClimbWorld world;
  ASSERT_TRUE(world.run_sequence({"a"}));
  world.executor.jobs.clear();
  PolicyContext context = world.context();
  context.environment = "another compiler";
  const auto policy = make_policy("sequence", world.recipe({"a"}));
  ASSERT_TRUE(policy);
  ASSERT_TRUE((*policy)->run(context));
  EXPECT_EQ(world.executor.jobs.size(), 3u);
}

} // namespace
} // namespace hone::policy
