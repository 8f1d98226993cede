#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;
using testing::HasSubstr;

TEST(Sequence, KeepsWhatIsFasterAndLeavesOutTheRest)
{
  World world;
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.5}, {"b", 1.2}, {"c", 0.8}});
  const auto outcome = world.run_sequence({"a", "b", "c"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "c"}));
  EXPECT_EQ(world.steps_at(outcome->start), Steps{});
  EXPECT_EQ(world.checkpoint("best").id, outcome->best);
  EXPECT_FALSE(outcome->stopped);
  EXPECT_THAT(world.note_of("b"), HasSubstr("SLOW"));
  const auto steps = world.workflow->steps();
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->size(), 5u); // start, a, b, c, final: rejected ones too
}

TEST(Sequence, JudgesEachStepAgainstItsParentAndPublishesAgainstTheStart)
{
  World world;
  world.add("a");
  world.add("b");
  world.executor.time = factors({{"a", 0.5}, {"b", 0.5}});
  const auto outcome = world.run_sequence({"a", "b"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  const std::vector<record::Job>& jobs = world.executor.jobs;
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs[0].kind, record::Job::Kind::measure);
  EXPECT_EQ(fakes::steps_of(jobs[2].incumbent->candidate), Steps{"a"});
  EXPECT_EQ(jobs[3].transformation, k_final_step);
  EXPECT_EQ(fakes::steps_of(jobs[3].incumbent->candidate), Steps{});
  EXPECT_EQ(jobs[3].depth, record::Depth::promote);
  EXPECT_TRUE(jobs[3].both_regimes);
  EXPECT_EQ(jobs[3].parent, outcome->best);
  EXPECT_NEAR(world.seen.back().speedup, 4.0, 1e-9);
}

TEST(Sequence, KeepsNeutralSteps)
{
  World world;
  world.add("a", catalogue::Speed::neutral);
  world.add("b");
  world.executor.time = factors({{"b", 0.5}});
  const auto outcome = world.run_sequence({"a", "b"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b"}));
}

TEST(Sequence, LaterStepStaysWhenTheNextPaysForIt)
{
  World world;
  world.add("tile", catalogue::Speed::later);
  world.add("vectors");
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    const bool both = steps.contains("tile") && steps.contains("vectors");
    return both ? 0.25 : steps.contains("tile") ? 2.0 : 1.0;
  };
  const auto outcome = world.run_sequence({"tile", "vectors"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"tile", "vectors"}));
  const store::Checkpoint best = world.checkpoint(outcome->best);
  const store::Checkpoint tile = world.checkpoint(best.parent);
  EXPECT_EQ(tile.transformation, "tile");
  EXPECT_EQ(tile.record.verdict.comparisons.front().verdict, record::Comparison::slow); // the verdict stays honest
}

TEST(Sequence, LaterStepIsTakenBackAndTheNextOnesTriedWithoutIt)
{
  World world;
  world.add("tile", catalogue::Speed::later);
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"tile", 9.0}, {"a", 0.5}, {"b", 0.5}, {"c", 0.5}});
  const auto outcome = world.run_sequence({"tile", "a", "b", "c"}, "look_ahead = 2\n");
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b", "c"}));
  EXPECT_EQ(world.executor.count("a"), 2u);
  EXPECT_EQ(world.executor.count("c"), 1u); // the look-ahead ended before it
}

TEST(Sequence, LaterStepAtTheEndIsTakenBack)
{
  World world;
  world.add("a");
  world.add("tile", catalogue::Speed::later);
  world.executor.time = factors({{"tile", 3.0}, {"a", 0.5}});
  const auto outcome = world.run_sequence({"a", "tile"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"a"});
}

TEST(Sequence, OpenStepsThatOnlyLookFasterAreJudgedAsOne)
{
  for (const bool faster : {true, false}) {
    World world;
    world.add("tile", catalogue::Speed::later);
    world.add("a");
    world.executor.time = [&](const Steps& steps, const kernel::TuningPoint&) {
      return steps.contains("a") ? (faster ? 0.9 : 1.0) : steps.contains("tile") ? 1.1 : 1.0;
    };
    world.executor.half_width = [](const record::Job& job) {
      return job.transformation == k_together_step ? 0.001 : 0.2;
    };
    const auto outcome = world.run_sequence({"tile", "a"});
    ASSERT_TRUE(outcome) << outcome.error().text();
    EXPECT_EQ(world.executor.count(k_together_step), faster ? 1u : 0u);
    EXPECT_EQ(world.steps_at(outcome->best), faster ? (Steps{"tile", "a"}) : Steps{});
  }
}

TEST(Sequence, SkipsWhatTheEngineRefusesAndSaysWhy)
{
  World world;
  world.add("a");
  world.add("b");
  world.engine.refuses = {"a"};
  world.executor.time = factors({{"b", 0.5}});
  const auto outcome = world.run_sequence({"a", "b"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.note_of("a"), "a cannot be carried out here");
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"b"});
}

TEST(Sequence, WrongCandidatesAreRecordedAndLeftOut)
{
  World world;
  world.add("a");
  world.executor.time = factors({{"a", 0.5}});
  world.executor.status = [](const record::Job& job) {
    return job.transformation == "a" ? record::Status::correctness : record::Status::correct;
  };
  const auto outcome = world.run_sequence({"a"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->best, outcome->start);
  const auto steps = world.workflow->steps();
  ASSERT_TRUE(steps);
  const auto refused =
    std::ranges::find(*steps, "a", [](const store::Step& step) { return step.record.transformation; });
  ASSERT_NE(refused, steps->end());
  EXPECT_EQ(refused->record.verdict.status, record::Status::correctness);
}

TEST(Sequence, HonesOwnStartIsLookedAtBrieflyAndInFullOnlyWhereItStandsAtTheEnd)
{
  World world;
  world.add("a");
  world.executor.time = factors({{"a", 2}});
  PolicyContext context = world.context();
  context.start.reset();
  const auto policy = make_policy("sequence", world.recipe({"a"}));
  ASSERT_TRUE(policy);
  ASSERT_TRUE((*policy)->run(context));
  const std::vector<record::Job>& jobs = world.executor.jobs;
  EXPECT_EQ(jobs.front().transformation, k_start_step);
  EXPECT_EQ(jobs.front().depth, record::Depth::glance);
  EXPECT_EQ(jobs.back().kind, record::Job::Kind::validate);
  EXPECT_EQ(jobs.back().transformation, k_start_check);
  EXPECT_EQ(jobs.back().depth, record::Depth::promote);
  EXPECT_EQ(jobs.back().contender.candidate.hash(), jobs.front().contender.candidate.hash());
}

TEST(Sequence, AStartOfSomebodysOwnIsCheckedInFullAtOnce)
{
  World world;
  world.add("a");
  ASSERT_TRUE(world.run_sequence({"a"}));
  EXPECT_EQ(world.executor.jobs.front().depth, record::Depth::promote);
}

TEST(Sequence, APlainStartThatIsTooSlowGivesWayToReorderedLoops)
{
  World world;
  world.add("reorder-loops");
  PolicyContext context = world.context();
  context.start.reset();
  const auto plain = lower::naive_candidate(*context.kernel, context.backend.dialect());
  ASSERT_TRUE(plain);
  world.executor.status = [&](const record::Job& job) {
    return job.contender.candidate.hash() == plain->hash() ? record::Status::timeout : record::Status::correct;
  };
  const auto policy = make_policy("sequence", world.recipe({"reorder-loops"}));
  ASSERT_TRUE(policy);
  const auto outcome = (*policy)->run(context);
  ASSERT_TRUE(outcome) << outcome.error().text();
  const std::string reordered = world.checkpoint(outcome->start).candidate.hash();
  EXPECT_EQ(world.executor.jobs[1].contender.candidate.hash(), reordered);
  EXPECT_NE(reordered, plain->hash());
  // Plain loops may take a 25th of the budget per call; what replaces them is all there is.
  EXPECT_EQ(world.executor.jobs[0].call_deadline, std::chrono::milliseconds(context.budget) / 25);
  EXPECT_EQ(world.executor.jobs[1].call_deadline.count(), 0);
}

TEST(Sequence, AStartThatFailsTheFullChecksIsAnErrorAndNotTheBest)
{
  World world;
  world.add("a");
  world.executor.status = [](const record::Job& job) {
    return job.transformation == k_start_step ? record::Status::correct : record::Status::correctness;
  };
  PolicyContext context = world.context();
  context.start.reset();
  const auto policy = make_policy("sequence", world.recipe({"a"}));
  ASSERT_TRUE(policy);
  const auto outcome = (*policy)->run(context);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("start"));
  const auto best = world.workflow->best();
  ASSERT_TRUE(best);
  EXPECT_FALSE(*best);
}

TEST(Sequence, WithoutTimeForAFullCheckOfTheStartTheClimbSaysSo)
{
  World world;
  world.add("a");
  world.executor.time = factors({{"a", 2}});
  world.executor.before = [&](const record::Job&) { world.now += std::chrono::hours(1); };
  PolicyContext context = world.context();
  context.start.reset();
  const auto policy = make_policy("sequence", world.recipe({"a"}));
  ASSERT_TRUE(policy);
  ASSERT_TRUE((*policy)->run(context));
  EXPECT_THAT(world.note_of(std::string(k_start_check)), HasSubstr("hone verify"));
}

// The steps on plain loops pay in the end only: a look-ahead would take the loops back before.
TEST(Sequence, PlainLoopsClimbBesideSomebodysOwnCode)
{
  World world;
  world.add("restate", catalogue::Speed::later);
  for (const char* name : {"a", "b", "c", "d"}) {
    world.add(name);
  }
  world.executor.time = factors({{"restate", 9.0}, {"a", 0.8}, {"b", 0.8}, {"c", 0.8}, {"d", 0.1}});
  const auto outcome = world.run_sequence({"a", "b", "c", "d"}, "look_ahead = 1\n");
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"restate", "a", "b", "c", "d"}));
  EXPECT_EQ(world.steps_at(outcome->start), Steps{});
  EXPECT_EQ(world.executor.count("restate"), 1u);
  EXPECT_EQ(fakes::steps_of(world.executor.jobs.back().incumbent->candidate), Steps{}); // told against their code
  EXPECT_NEAR(world.seen.back().speedup, 1 / (9.0 * 0.8 * 0.8 * 0.8 * 0.1), 1e-6);
  EXPECT_EQ(outcome->note, "");
}

TEST(Sequence, SomebodysOwnCodeStaysTheBestWhereNothingBeatsIt)
{
  for (const bool alike : {false, true}) { // slower on the whole; or fast by the steps, and slower when compared
    World world;
    world.add("restate", catalogue::Speed::later);
    world.add("a");
    world.executor.time = factors({{"restate", 9.0}, {"a", alike ? 0.1115 : 0.5}});
    const auto outcome = world.run_sequence({"a"});
    ASSERT_TRUE(outcome) << outcome.error().text();
    EXPECT_EQ(outcome->best, outcome->start);
    EXPECT_EQ(world.checkpoint("best").id, outcome->start);
    EXPECT_THAT(outcome->note, HasSubstr("your own code stays the best"));
  }
}

TEST(Sequence, PlainLoopsThatAreWrongAreLeftOut)
{
  World world;
  world.add("restate", catalogue::Speed::later);
  world.add("a");
  world.executor.time = factors({{"a", 0.5}});
  world.executor.status = [](const record::Job& job) {
    return job.transformation == "restate" ? record::Status::correctness : record::Status::correct;
  };
  const auto outcome = world.run_sequence({"a"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"a"});
}

TEST(Sequence, UnknownStepIsAnErrorWithItsPlace)
{
  World world;
  world.add("vectorize");
  const auto outcome = world.run_sequence({"vectorise"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().place.line, 2);
  EXPECT_THAT(outcome.error().hint, HasSubstr("vectorize"));
}

TEST(Sequence, ABestThatFailsTheFullChecksGivesWayToTheNext)
{
  World world;
  world.add("a");
  world.add("b");
  world.executor.time = factors({{"a", 0.5}, {"b", 0.5}});
  world.executor.status = [](const record::Job& job) {
    const bool broken = job.transformation == k_final_step && fakes::steps_of(job.contender.candidate).size() == 2;
    return broken ? record::Status::correctness : record::Status::correct;
  };
  const auto outcome = world.run_sequence({"a", "b"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(world.steps_at(outcome->best), Steps{"a"});
  EXPECT_EQ(world.checkpoint("best").id, outcome->best);
}

TEST(Sequence, AWrongStartIsAnError)
{
  World world;
  world.executor.status = [](const record::Job&) { return record::Status::timeout; };
  const auto outcome = world.run_sequence({"1"});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("the start of matmul is not correct: timeout"));
}

TEST(Sequence, EndsGracefullyWhereNothingApplies)
{
  World world(fakes::row_maximum());
  world.add("a");
  const auto outcome = world.run_sequence({"a"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->best, outcome->start);
  EXPECT_EQ(outcome->note, "no transformation in the catalogue applies to a row reduction on cpu");
}

TEST(Sequence, SaysWhereOnlyAModelKnowsWhatApplies)
{
  World world;
  world.add("a");
  world.engine.unknown = {"a"};
  const auto outcome = world.run_sequence({"a"});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->best, outcome->start);
  EXPECT_THAT(outcome->note, HasSubstr("need a language model: add --model"));
}

TEST(Sequence, SpentTimeGoesIntoTheLedger)
{
  World world;
  world.add("a");
  ASSERT_TRUE(world.run_sequence({"a"}));
  const auto spent = world.workflow->spent();
  ASSERT_TRUE(spent);
  EXPECT_DOUBLE_EQ(spent->at("measure"), 0.5 * static_cast<double>(world.executor.jobs.size()));
}

} // namespace
} // namespace hone::policy
