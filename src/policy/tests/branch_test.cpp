// Climbs that go on from a checkpoint other than the start.
#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

struct BranchWorld : World {
  BranchWorld()
  {
    for (const char* step : {"a", "b", "c"}) {
      add(step);
    }
    executor.time = factors({{"a", 0.5}, {"b", 0.8}, {"c", 0.3}});
  }

  Result<PolicyOutcome> run_from(const std::string& checkpoint, const std::vector<std::string>& steps)
  {
    PolicyContext from = context();
    from.from = checkpoint;
    HONE_TRY(const auto policy, make_policy("sequence", recipe(steps)));
    return policy->run(from);
  }
};

TEST(Branch, GoesOnFromItsCheckpointAndLeavesABetterBestAlone)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"a", "c"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  const auto branch = world.run_from(trunk->start, {"b"});
  ASSERT_TRUE(branch) << branch.error().text();
  EXPECT_EQ(world.steps_at(branch->best), Steps{"b"});
  EXPECT_EQ(branch->start, trunk->start);
  ASSERT_TRUE(branch->final_record);
  EXPECT_EQ(world.checkpoint("best").id, trunk->best);
}

TEST(Branch, BecomesTheBestWhereItIsFaster)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"b"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  const auto branch = world.run_from(trunk->start, {"a", "c"});
  ASSERT_TRUE(branch) << branch.error().text();
  EXPECT_EQ(world.steps_at(branch->best), (Steps{"a", "c"}));
  EXPECT_EQ(world.checkpoint("best").id, branch->best);
}

TEST(Branch, StepsThatWereCarriedOutBeforeItAreSkipped)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"a"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  world.executor.jobs.clear();
  const auto branch = world.run_from(trunk->best, {"a", "b"});
  ASSERT_TRUE(branch) << branch.error().text();
  EXPECT_EQ(world.executor.count("a"), 0u);
  EXPECT_EQ(world.executor.count("start"), 0u);
  EXPECT_EQ(world.steps_at(branch->best), (Steps{"a", "b"}));
  EXPECT_EQ(world.checkpoint(branch->best).parent, trunk->best);
}

TEST(Branch, StaysWhereItIsWhenNothingFasterHolds)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"a"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  world.executor.status = [](const record::Job& job) {
    return job.transformation == k_final_step ? record::Status::correctness : record::Status::correct;
  };
  const auto branch = world.run_from(trunk->best, {"b"});
  ASSERT_TRUE(branch) << branch.error().text();
  EXPECT_EQ(branch->best, trunk->best);
}

TEST(Branch, DoesNotFallBehindWhatItHadReached)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"a"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  const auto branch = world.run_from(trunk->start, {"b"});
  ASSERT_TRUE(branch) << branch.error().text();
  world.stop.request_stop();
  PolicyContext again = world.context();
  again.from = trunk->start;
  again.reached = branch->best;
  const auto policy = make_policy("sequence", world.recipe({"b"}));
  ASSERT_TRUE(policy);
  const auto second = (*policy)->run(again);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->best, branch->best);
  EXPECT_EQ(world.checkpoint("best").id, trunk->best);
}

TEST(Branch, RefusesACheckpointOfAnotherRecipe)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"a"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  PolicyContext other = world.context();
  other.from = trunk->best;
  other.recipe.sizes["m"] = 16;
  const auto policy = make_policy("sequence", world.recipe({"b"}));
  ASSERT_TRUE(policy);
  const auto outcome = (*policy)->run(other);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), testing::HasSubstr("other sizes"));
}

TEST(Branch, GreedyGoesOnFromItToo)
{
  BranchWorld world;
  const auto trunk = world.run_sequence({"b"});
  ASSERT_TRUE(trunk) << trunk.error().text();
  PolicyContext from = world.context();
  from.from = trunk->best;
  const auto policy = make_policy("greedy", {});
  ASSERT_TRUE(policy);
  const auto outcome = (*policy)->run(from);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b", "c"}));
}

} // namespace
} // namespace hone::policy
