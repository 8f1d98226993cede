#include "tune/cache_file.h"
#include "tune/simulation.h"
#include "tune/trial_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
namespace {

StoredTrial trial(std::int64_t t, std::vector<double> ratios)
{
  StoredTrial result;
  result.point = {{"T", t}, {"U", 1}};
  result.ratios = std::move(ratios);
  result.status = result.ratios.empty() ? record::Status::compile : record::Status::correct;
  result.call_s = 0.002;
  result.build_s = 0.5;
  result.validate_s = 0.25;
  result.measure_s = 0.125;
  result.time_utc = "2000-01-01T00:00:00Z";
  return result;
}

// T from 1 to 8; the larger, the faster, but 8 is not right.
StoredSpace small_space()
{
  StoredSpace space;
  space.kernel = "matmul";
  space.kernel_hash = "k";
  space.candidate = "c";
  space.environment = "e";
  space.device = "a device";
  space.device_facts = {{"isa", "avx512"}};
  space.plan_facts = {{"device.l1", 32768}};
  space.recipe.sizes = {{"m", 8}, {"n", 16}};
  space.parameters = {{"T", {1, 2, 3, 4, 5, 6, 7, 8}, 1}, {"U", {1}, 1}};
  space.constraints = {"T < 9"};
  space.incumbent = {{"T", 1}, {"U", 1}};
  space.incumbent_s = 0.004;
  for (std::int64_t t = 1; t < 8; ++t) {
    const auto ratio = static_cast<double>(t);
    space.trials.push_back(trial(t, {ratio * 0.999, ratio * 1.001}));
  }
  space.trials.push_back(trial(8, {}));
  return space;
}

TEST(StoredSpace, IsReadAsItWasWritten)
{
  StoredSpace space = small_space();
  space.best = {trial(7, {7.0, 7.0, 7.0})};
  const auto read = space_from_cache_text(to_cache_text(space), "a file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_cache_text(*read), to_cache_text(space));
  EXPECT_EQ(read->trials.size(), 8u);
  EXPECT_EQ(read->trials[3].point, space.trials[3].point);
  EXPECT_DOUBLE_EQ(read->seconds(), space.seconds());
  EXPECT_EQ(read->plan_facts, space.plan_facts);
  EXPECT_EQ(read->recipe.hash(), space.recipe.hash());
  EXPECT_EQ(read->constraints, space.constraints);
}

// The members that Kernel Tuner's simulation mode reads.
TEST(StoredSpace, IsAFileThatKernelTunerReads)
{
  const std::string text = to_cache_text(small_space());
  const auto json = parse_json(text, "a file");
  ASSERT_TRUE(json) << json.error().text();
  for (const char* key : {"device_name", "kernel_name", "problem_size", "tune_params_keys", "tune_params", "cache"}) {
    EXPECT_TRUE(json->contains(key)) << key;
  }
  EXPECT_THAT(text, testing::EndsWith("}\n}\n")); // else it takes the file for one that was cut off
  EXPECT_EQ(json->at("problem_size"), (Json{8, 16}));
  const Json& right = json->at("cache").at("4,1");
  EXPECT_EQ(right.at("T"), 4);
  EXPECT_NEAR(right.at("time").get<double>(), 1.0, 1e-4); // milliseconds on the incumbent's scale
  EXPECT_EQ(right.at("times").size(), 2u);
  EXPECT_DOUBLE_EQ(right.at("compile_time").get<double>(), 500);
  EXPECT_DOUBLE_EQ(right.at("verification_time").get<double>(), 250);
  EXPECT_DOUBLE_EQ(right.at("benchmark_time").get<double>(), 125);
  const Json& wrong = json->at("cache").at("8,1");
  EXPECT_EQ(wrong.at("__error__"), "CompilationFailedConfig");
  EXPECT_FALSE(wrong.contains("time"));
  EXPECT_DOUBLE_EQ(wrong.at("compile_time").get<double>(), 500);
}

TEST(StoredSpace, MayHoldNoTrials)
{
  StoredSpace space = small_space();
  space.trials.clear();
  const auto read = space_from_cache_text(to_cache_text(space), "a file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->trials.empty());
}

TEST(StoredSpace, SaysWhatIsWrongWithAFile)
{
  const auto foreign = space_from_cache_text(R"({"device_name": "x", "cache": {}})", "foreign.json");
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().text(), testing::HasSubstr("foreign.json"));
  EXPECT_THAT(foreign.error().text(), testing::HasSubstr("--export-cache"));
  const auto torn = space_from_cache_text(R"({"hone": {"format": 1}})", "torn.json");
  ASSERT_FALSE(torn);
  EXPECT_THAT(torn.error().text(), testing::HasSubstr("torn.json"));
  const auto newer = space_from_cache_text(R"({"hone": {"format": 99}})", "newer.json");
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().text(), testing::HasSubstr("format 99"));
}

TEST(StoredSpace, FurtherMeasurementsOfAPointAreAdded)
{
  StoredSpace space = small_space();
  add_trial(space, trial(2, {2.0}));
  ASSERT_EQ(space.trials.size(), 8u);
  EXPECT_EQ(space.trials[1].ratios.size(), 3u);
  EXPECT_DOUBLE_EQ(space.trials[1].build_s, 1.0);
  add_trial(space, trial(3, {}));
  EXPECT_EQ(space.trials[2].status, record::Status::compile);
  EXPECT_TRUE(space.trials[2].ratios.empty());
}

TEST(TrialRanking, OneLuckyLookDoesNotPassSeveralThatAgree)
{
  TrialRanking ranking;
  for (int i = 0; i < 4; ++i) {
    ranking.add({{{"T", 1}}, true, 1.100, "correct", 1});
  }
  ranking.add({{{"T", 2}}, true, 1.101, "correct", 1});
  ranking.add({{{"T", 3}}, false, 0, "compile", 1});
  const std::vector<RankedPoint> fastest = ranking.fastest();
  ASSERT_EQ(fastest.size(), 2u);
  EXPECT_EQ(fastest.front().point.at("T"), 1);
  EXPECT_EQ(fastest.front().pairs, 4);
}

TEST(TrialRanking, APointThatFailedOnceIsNotAmongTheFastest)
{
  TrialRanking ranking;
  ranking.add({{{"T", 1}}, true, 2.0, "correct", 1});
  ranking.add({{{"T", 1}}, false, 0, "correctness", 1});
  EXPECT_TRUE(ranking.fastest().empty());
}

TEST(Simulation, EveryStrategyFindsTheBestWithoutABudget)
{
  const StoredSpace space = small_space();
  const Simulation simulation(space);
  EXPECT_NEAR(simulation.best_ratio(), 7, 0.01);
  for (const std::string& name : strategy_names()) {
    const auto search = simulation.run(name, 1, 1e9);
    ASSERT_TRUE(search) << search.error().text();
    EXPECT_EQ(search->chosen.at("T"), 7) << name;
    EXPECT_EQ(search->shortfall, 0) << name;
    EXPECT_EQ(search->points, 7u) << name;
  }
}

TEST(Simulation, KeepsToItsBudgetAndRepeatsItself)
{
  const StoredSpace space = small_space();
  const Simulation simulation(space);
  for (const std::string& name : strategy_names()) {
    const auto search = simulation.run(name, 4, 2.0); // two points and a bit
    ASSERT_TRUE(search);
    EXPECT_LE(search->seconds, 2.0) << name;
    EXPECT_EQ(search->points, 2u) << name;
    const auto again = simulation.run(name, 4, 2.0);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->chosen, search->chosen) << name;
  }
}

TEST(Simulation, WithoutTimeTheIncumbentIsChosen)
{
  const StoredSpace space = small_space();
  const auto search = Simulation(space).run("random", 1, 0);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->chosen, space.incumbent);
  EXPECT_NEAR(search->shortfall, 6, 0.01);
}

} // namespace
} // namespace hone::tune
