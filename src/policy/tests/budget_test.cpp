// A climb keeps to its wall time: what cannot end in it does not begin, and what follows the search has its share.
#include "policy/baselines.h"
#include "policy/job_costs.h"
#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using namespace fakes;
using testing::HasSubstr;

// Ten steps, each of which halves the time.
struct LongClimb : World {
  std::vector<std::string> steps;

  LongClimb()
  {
    std::map<std::string, double> halved;
    for (char name = 'a'; name < 'k'; ++name) {
      steps.emplace_back(1, name);
      halved[steps.back()] = 0.5;
      add(steps.back());
    }
    executor.time = factors(halved);
  }

  double run_for(std::chrono::seconds budget, int rivals, std::chrono::milliseconds per_job)
  {
    executor.before = [this, per_job](const record::Job&) { now += per_job; };
    const auto begin = now;
    PolicyContext policy_context = context();
    policy_context.budget = budget;
    policy_context.rivals = rivals;
    const auto policy = make_policy("sequence", recipe(steps));
    EXPECT_TRUE(policy && (*policy)->run(policy_context));
    return std::chrono::duration<double>(now - begin).count();
  }
};

// Would catch a search that takes no account of what the next step and the final comparison take.
TEST(Budget, HoldsWithTheFinalComparison)
{
  for (const int budget : {20, 45, 90}) {
    LongClimb world;
    const double passed = world.run_for(std::chrono::seconds(budget), 0, std::chrono::seconds(5));
    EXPECT_LE(passed, budget) << budget;
    EXPECT_EQ(world.executor.count(k_final_step), 1u) << budget;
    EXPECT_GE(world.executor.jobs.size(), 3u) << "part of a short budget is for the search";
  }
}

// Would catch a reserve that does not grow with what follows the search, or that leaves nothing for it.
TEST(Budget, KeepsTimeForRivalsButSearchesAllTheSame)
{
  const auto steps_with = [](int rivals) {
    LongClimb world;
    world.executor.before = {};
    world.run_for(std::chrono::seconds(30), rivals, std::chrono::seconds(2));
    return world.executor.jobs.size();
  };
  EXPECT_LT(steps_with(40), steps_with(0));
  EXPECT_GE(steps_with(40), 5u);
}

record::Record record_of(std::string_view step, std::map<std::string, double> spent)
{
  record::Record record;
  record.transformation = step;
  record.verdict.spent = std::move(spent);
  return record;
}

// Would catch costs that come from something other than what was seen.
TEST(JobCosts, AreWhatWasSeen)
{
  JobCosts costs(kernel::KernelClass::map);
  const double guess = costs.full_check_s();
  EXPECT_GT(guess, 0);
  costs.add(record_of("vectorize", {{"build", 1}, {"validate", 1}, {"measure", 2}}), 4, false);
  EXPECT_EQ(costs.step_s(), 4);
  EXPECT_EQ(costs.comparison_s(), 2);
  EXPECT_EQ(costs.full_check_s(), guess) << "a short check says nothing about a full one";
  costs.add(record_of(k_final_step, {{"build", 1}, {"validate", 20}, {"measure", 2}, {"check", 1}}), 24, true);
  EXPECT_EQ(costs.full_check_s(), 21);
  EXPECT_EQ(costs.step_s(), 4) << "the final comparison is no step";
  costs.add(record_of(k_final_step, {{"measure", 2}}), 2, true);
  EXPECT_EQ(costs.full_check_s(), 21) << "a check that was remembered costs nothing";
  costs.add(record_of(k_trial_step, {{"measure", 9}}), 9, false);
  EXPECT_EQ(costs.trial_s(), 9);
  EXPECT_LT(costs.comparison_s(), 9) << "a trial has fewer pairs";
  EXPECT_DOUBLE_EQ(JobCosts(kernel::KernelClass::map, 0.5).full_check_s(), 2 * guess) << "half the CPU is not ours";
}

// Would catch a comparison that begins though it cannot end in time, and one that is left out in silence.
TEST(Baselines, AreLeftOutWhereTimeIsShortAndSaid)
{
  for (const int seconds : {1, 100}) {
    World world;
    world.add("reorder-loops");
    PolicyContext context = world.context();
    EXPECT_EQ(count_rivals(context, {}), 1);
    const record::Contender ours{candidate_of(*context.kernel, {"a"}, false), {}, {}, {}};
    const TimeLeft left{world.now + std::chrono::seconds(seconds), 10};
    const auto results = compare_with_baselines(context, ours, {}, left);
    ASSERT_TRUE(results) << results.error().text();
    EXPECT_EQ(results->size(), seconds == 1 ? 0u : 1u);
    const std::string note = world.note_of(std::string("baseline ") + k_plain_loops);
    EXPECT_EQ(note.empty(), seconds != 1) << note;
  }
}

// Would catch two full checks in a budget that has time for one.
TEST(Tuning, ItsWinnerIsCheckedInFullOnlyWhereTimeLasts)
{
  for (const int budget : {14, 1000}) {
    World world;
    world.engine.with_parameter = {"tile"};
    world.add("tile");
    world.executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
      const double tuned = point.contains("T") ? 1.0 / static_cast<double>(point.at("T")) : 1.0;
      return tuned * factors({{"tile", 0.5}})(steps, point);
    };
    world.executor.before = [&](const record::Job&) { world.now += std::chrono::seconds(1); };
    PolicyContext context = world.context();
    context.budget = std::chrono::seconds(budget);
    const auto policy = make_policy("sequence", world.recipe({"tile", "10"}));
    ASSERT_TRUE(policy && (*policy)->run(context));
    const auto winner = std::ranges::find(world.executor.jobs, k_tune_step, &record::Job::transformation);
    ASSERT_NE(winner, world.executor.jobs.end());
    EXPECT_EQ(winner->depth, budget == 14 ? record::Depth::screen : record::Depth::promote);
    const auto last = std::ranges::find(world.executor.jobs, k_final_step, &record::Job::transformation);
    ASSERT_NE(last, world.executor.jobs.end());
    EXPECT_EQ(last->depth, record::Depth::promote) << "what is published is checked in full";
  }
}

} // namespace
} // namespace hone::policy
