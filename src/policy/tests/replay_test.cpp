#include "policy/replay.h"
#include "policy/tests/fakes.h"

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

// A machine on which the climb a, b was made, and another one to carry it out on.
struct TwoMachines {
  World there, here;
  std::vector<store::Checkpoint> path;

  TwoMachines()
  {
    there.add("a");
    there.add("b");
    there.executor.time = factors({{"a", 0.5}, {"b", 0.8}});
    here.executor.time = factors({{"a", 0.25}, {"b", 1.5}});
    const auto outcome = there.run_sequence({"a", "b"});
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().text());
    const auto ids = there.workflow->path_to(outcome->best);
    EXPECT_TRUE(ids);
    for (const std::string& id : *ids) {
      path.push_back(there.checkpoint(id));
    }
  }

  Result<std::vector<ReplayedStep>> replay(store::Workflow* workflow)
  {
    return hone::policy::replay(*here.kernel, here.executor, workflow, {.path = path, .stop = here.stop.get_token()});
  }
};

TEST(Replay, JudgesEachRecordedAnswerHereAndKeepsIt)
{
  TwoMachines world;
  const auto steps = world.replay(&*world.here.workflow);
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_TRUE((*steps)[0].here.verdict.comparisons.empty());
  EXPECT_DOUBLE_EQ((*steps)[1].recorded.record.verdict.comparisons.front().ratio, 2);
  EXPECT_DOUBLE_EQ((*steps)[1].here.verdict.comparisons.front().ratio, 4);
  EXPECT_EQ((*steps)[2].here.verdict.comparisons.front().verdict, record::Comparison::slow);
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const store::Checkpoint kept = world.here.checkpoint((*steps)[i].checkpoint);
    EXPECT_EQ(kept.parent, i == 0 ? "" : (*steps)[i - 1].checkpoint);
    EXPECT_EQ(kept.record.engine, k_recorded_engine);
    EXPECT_EQ(kept.candidate.hash(), world.path[i].candidate.hash());
  }
  EXPECT_EQ(world.here.steps_at("best"), Steps{"a"}) << "the fastest here, not there";
}

TEST(Replay, WithoutAWorkflowWritesNothing)
{
  TwoMachines world;
  const auto steps = world.replay(nullptr);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_EQ(steps->size(), 3u);
  EXPECT_EQ(steps->back().checkpoint, "");
  EXPECT_TRUE(world.here.workflow->steps()->empty());
}

TEST(Replay, LeavesABestThatIsThereAlone)
{
  TwoMachines world;
  const std::string best = world.there.checkpoint("best").id;
  ASSERT_TRUE(world.replay(&*world.there.workflow));
  EXPECT_EQ(world.there.checkpoint("best").id, best);
}

TEST(Replay, EndsAfterAStepThatIsNotRightHere)
{
  TwoMachines world;
  world.here.executor.status = [](const record::Job& job) {
    return job.transformation == "a" ? record::Status::correctness : record::Status::correct;
  };
  const auto steps = world.replay(&*world.here.workflow);
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_EQ(steps->back().here.verdict.status, record::Status::correctness);
  EXPECT_EQ(steps->back().checkpoint, "");
  EXPECT_EQ(world.here.checkpoint("best").id, steps->front().checkpoint);
}

TEST(Replay, StopsWhenAskedTo)
{
  TwoMachines world;
  world.here.executor.before = [&](const record::Job& job) {
    if (job.transformation == "b") {
      world.here.stop.request_stop();
    }
  };
  const auto steps = world.replay(&*world.here.workflow);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_EQ(steps->size(), 2u);
}

// What a gate does that is stopped in the middle of a job.
class StoppedExecutor final : public execute::SerialExecutor {
public:
  explicit StoppedExecutor(std::stop_source& stop) : m_stop(stop) {}
  execute::JobOutcome execute(const record::Job&, const execute::JobControl&) override
  {
    m_stop.request_stop();
    return {.record = fail("stopped while measuring")};
  }
  void prepare(const record::Contender&, const record::Recipe&) override {}

private:
  std::stop_source& m_stop;
};

TEST(Replay, AJobThatWasStoppedIsNoMistake)
{
  TwoMachines world;
  StoppedExecutor executor(world.here.stop);
  const ReplayRequest request{.path = world.path, .stop = world.here.stop.get_token()};
  const auto steps = hone::policy::replay(*world.here.kernel, executor, &*world.here.workflow, request);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_TRUE(steps->empty());
}

TEST(Replay, RefusesFilesThatAreNotThoseOfTheRecord)
{
  TwoMachines world;
  world.path[1].candidate = fakes::candidate_of(*world.here.kernel, {"something else"}, false);
  const auto steps = world.replay(nullptr);
  ASSERT_FALSE(steps);
  EXPECT_THAT(steps.error().text(), testing::HasSubstr("not those its record was made for"));
}

} // namespace
} // namespace hone::policy
