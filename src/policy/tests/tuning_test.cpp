#include "policy/attempt.h"
#include "policy/tests/fakes.h"
#include "policy/tuned_space.h"

namespace hone::policy {
namespace {

using fakes::Steps;
using fakes::World;

// A kernel whose step "tile" brings the parameter T; larger is faster.
struct TuningWorld : World {
  TuningWorld()
  {
    add("tile");
    engine.with_parameter = {"tile"};
    executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
      return steps.empty() ? 1.0 : 0.5 / static_cast<double>(point.at("T"));
    };
  }
};

TEST(Tuning, ChecksTheWinnerInFullAndKeepsIt)
{
  TuningWorld world;
  const auto outcome = world.run_sequence({"tile", "10"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  const store::Checkpoint best = world.checkpoint(outcome->best);
  EXPECT_EQ(best.point.at("T"), 4);
  EXPECT_EQ(best.transformation, k_tune_step);
  EXPECT_EQ(world.executor.count(k_trial_step), 2u); // the default is not tried against itself
  EXPECT_EQ(world.executor.count(k_tune_step), 2u);  // the runner-up is judged against the winner
  const auto winner = std::ranges::find(world.executor.jobs, k_tune_step, &record::Job::transformation);
  EXPECT_EQ(winner->depth, record::Depth::promote);
}

TEST(Tuning, TakesTheNextBestWhenTheWinnerIsWrong)
{
  TuningWorld world;
  world.executor.status = [](const record::Job& job) {
    const bool wrong =
      job.depth == record::Depth::promote && job.contender.point.contains("T") && job.contender.point.at("T") == 4;
    return wrong ? record::Status::correctness : record::Status::correct;
  };
  const auto outcome = world.run_sequence({"tile", "10"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.checkpoint(outcome->best).point.at("T"), 2);
}

TEST(Tuning, KeepsTheDefaultWhenNothingIsFaster)
{
  TuningWorld world;
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) { return steps.empty() ? 1.0 : 0.5; };
  const auto outcome = world.run_sequence({"tile", "10"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.checkpoint(outcome->best).transformation, "tile");
}

TEST(Tuning, TriesNoMorePointsThanAsked)
{
  TuningWorld world;
  ASSERT_TRUE(world.run_sequence({"tile", "1"}));
  EXPECT_EQ(world.executor.count(k_trial_step), 1u);
}

TEST(Tuning, EndsWithTheTimeOfTheSearchAndStillConfirmsItsWinner)
{
  TuningWorld world;
  world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(30); };
  ASSERT_TRUE(world.run_sequence({"tile", "200"}));
  EXPECT_EQ(world.executor.count(k_trial_step), 1u);
  EXPECT_EQ(world.executor.count(k_tune_step), 1u);
}

TEST(Tuning, BuildsTheNextPointInAdvance)
{
  TuningWorld world;
  ASSERT_TRUE(world.run_sequence({"tile", "10"}));
  ASSERT_EQ(world.executor.prepared.size(), 1u);
  EXPECT_EQ(world.executor.prepared.front().point.at("T"), 4);
}

TEST(Tuning, LaterStepsInheritTheTunedPoint)
{
  TuningWorld world;
  world.add("more");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
    const double more = steps.contains("more") ? 0.5 : 1.0;
    return steps.empty() ? 1.0 : more * 0.5 / static_cast<double>(point.at("T"));
  };
  const auto outcome = world.run_sequence({"tile", "10", "more"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  const store::Checkpoint best = world.checkpoint(outcome->best);
  EXPECT_EQ(best.transformation, "more");
  EXPECT_EQ(best.point.at("T"), 4);
}

TEST(Tuning, PointsOfAnEarlierSessionAreNotTriedAgain)
{
  TuningWorld world;
  ASSERT_TRUE(world.run_sequence({"tile", "1"}));
  const std::string tile = world.checkpoint("best").parent;
  world.executor.jobs.clear();
  PolicyContext context = world.context();
  context.tuning_strategy = "random";
  for (context.seed = 1; context.seed < 4; ++context.seed) {
    ASSERT_TRUE(tune_checkpoint(context, tile, 1));
  }
  EXPECT_TRUE(world.executor.jobs.empty());
  ASSERT_TRUE(tune_checkpoint(context, tile, 2));
  EXPECT_EQ(world.executor.count(k_trial_step), 1u);
}

TEST(Tuning, OnlyWhatWasTunedIsHandedOn)
{
  TuningWorld world;
  const PolicyContext context = world.context();
  const auto candidate_with = [](std::int64_t tile, std::int64_t depth) {
    kernel::Candidate candidate;
    candidate.plan.tuning.parameters = {{"TILE", {1, 2, 4, 8}, tile}, {"DEPTH", {1, 2, 4, 8}, depth}};
    return candidate;
  };
  store::Checkpoint before;
  before.candidate = candidate_with(2, 2);
  before.point = {{"TILE", 8}, {"DEPTH", 2}}; // TILE was tuned
  const kernel::TuningPoint point = inherited_point(candidate_with(4, 4), before, context);
  EXPECT_EQ(point, (kernel::TuningPoint{{"TILE", 8}, {"DEPTH", 4}}));
}

TEST(Tuning, AStepIsJudgedWithAGroupForEachThread)
{
  TuningWorld world;
  PolicyContext context = world.context();
  const auto candidate =
    kernel::make_candidate(*context.kernel, {{"device.cpp", "// nothing\n"}, {"launch.toml", R"toml(
[tuning]
DEPTH = { values = [1, 2], default = 1 }
ROWS = { values = [2, 3, 4, 6, 64], default = 64 }
[[launch]]
kernel = "matmul"
grid = ["ceil_div(m, ROWS)"]
args = ["A", "B", "C", "m", "n", "k"]
)toml"}});
  ASSERT_TRUE(candidate) << candidate.error().text();
  const kernel::TuningPoint start = candidate->plan.tuning.defaults();
  EXPECT_EQ(with_groups_for_threads(*candidate, start, context), start);
  context.recipe.threads = 2; // m = 8: 4 or 6 rows make two groups, 4 more alike
  EXPECT_EQ(with_groups_for_threads(*candidate, start, context), (kernel::TuningPoint{{"DEPTH", 1}, {"ROWS", 4}}));
  context.recipe.threads = 3;
  EXPECT_EQ(with_groups_for_threads(*candidate, start, context), (kernel::TuningPoint{{"DEPTH", 1}, {"ROWS", 3}}));
  context.recipe.threads = 8; // no value gives so many: as it was
  EXPECT_EQ(with_groups_for_threads(*candidate, start, context), start);
}

// A point that may be the fastest gets further looks of one pair; the finals are not the strategy's business.
TEST(Tuning, RacingMeasuresTheLeadAgainAndLeavesTheFinalsAlone)
{
  TuningWorld world;
  ASSERT_TRUE(world.run_sequence({"tile"}));
  const std::string tile = world.checkpoint("best").id;
  world.executor.jobs.clear();
  PolicyContext context = world.context();
  context.tuning_strategy = "racing";
  const auto tuned = tune_checkpoint(context, tile, 10);
  ASSERT_TRUE(tuned) << tuned.error().text();
  EXPECT_EQ(world.checkpoint(*tuned).point.at("T"), 4);
  std::size_t looks = 0;
  for (const record::Job& job : world.executor.jobs) {
    if (job.transformation == k_trial_step) {
      EXPECT_EQ(job.recipe.pairs, 1);
      looks += job.contender.point.at("T") == 4 ? 1 : 0;
    } else {
      EXPECT_EQ(job.recipe.pairs, context.recipe.pairs);
      EXPECT_EQ(job.depth, record::Depth::promote);
    }
  }
  EXPECT_EQ(looks, 4u);
}

TEST(Tuning, TrialsOfAllSessionsMakeAStoredSpace)
{
  TuningWorld world;
  world.executor.status = [](const record::Job& job) {
    const bool wrong = job.transformation == k_trial_step && job.contender.point.at("T") == 2;
    return wrong ? record::Status::compile : record::Status::correct;
  };
  ASSERT_TRUE(world.run_sequence({"tile"}));
  const std::string tile = world.checkpoint("best").id;
  PolicyContext context = world.context();
  const auto none = tuned_space(context, tile);
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_TRUE(none->trials.empty());
  ASSERT_TRUE(tune_checkpoint(context, tile, 1));
  ASSERT_TRUE(tune_checkpoint(context, tile, 10));
  const auto space = tuned_space(context, tile);
  ASSERT_TRUE(space) << space.error().text();
  EXPECT_EQ(space->kernel, "matmul");
  EXPECT_EQ(space->incumbent, (kernel::TuningPoint{{"T", 1}}));
  ASSERT_EQ(space->trials.size(), 2u);
  for (const tune::StoredTrial& trial : space->trials) {
    EXPECT_EQ(trial.status, trial.point.at("T") == 2 ? record::Status::compile : record::Status::correct);
    EXPECT_DOUBLE_EQ(trial.measure_s, 0.5);
  }
}

TEST(Tuning, WorksOnAnyCheckpoint)
{
  TuningWorld world;
  const auto outcome = world.run_sequence({"tile"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  PolicyContext context = world.context();
  const auto tuned = tune_checkpoint(context, outcome->best, 10);
  ASSERT_TRUE(tuned) << tuned.error().text();
  EXPECT_NE(*tuned, outcome->best);
  EXPECT_EQ(world.checkpoint("best").id, *tuned);
  const auto again = tune_checkpoint(context, *tuned, 10);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *tuned);
}

} // namespace
} // namespace hone::policy
