// The whole protocol on a modelled machine: how often it is right, and whether it says why.
#include "noise_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone::gate {
namespace {

using test::NoiseModel;
using test::simulated;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

NoiseModel machine(double ratio, double call_s = 50e-6)
{
  NoiseModel model = test::usual_machines().front();
  model.ratio = ratio;
  model.call_s = call_s;
  return model;
}

int count(const NoiseModel& model, int comparisons, std::initializer_list<record::Comparison> verdicts)
{
  int found = 0;
  for (int seed = 1; seed <= comparisons; ++seed) {
    const record::Comparison verdict = simulated(model, static_cast<std::uint64_t>(seed)).verdict;
    found += std::ranges::find(verdicts, verdict) != verdicts.end() ? 1 : 0;
  }
  return found;
}

int count_covering(const NoiseModel& model, int comparisons)
{
  int covering = 0;
  for (int seed = 1; seed <= comparisons; ++seed) {
    const record::ComparisonResult result = simulated(model, static_cast<std::uint64_t>(seed));
    covering += result.ci95.low <= model.ratio && model.ratio <= result.ci95.high;
  }
  return covering;
}

TEST(Simulation, two_of_a_kind_are_never_told_apart)
{
  for (const NoiseModel& model : test::usual_machines()) {
    EXPECT_EQ(count(model, 40, {record::Comparison::fast, record::Comparison::slow}), 0) << model.name;
  }
}

// Of 200 draws with probability 0.95 between 181 and 198 succeed, but for one time in a thousand.
TEST(Simulation, intervals_hold_the_true_ratio_as_often_as_they_say)
{
  const int covering = count_covering(machine(1.05), 200);
  EXPECT_GE(covering, 181);
  EXPECT_LE(covering, 198);
}

TEST(Simulation, drift_and_outliers_cost_no_coverage)
{
  NoiseModel model = machine(1.05, 1e-3);
  model.drift = 0.2;
  model.outliers = 0.03;
  EXPECT_GE(count_covering(model, 200), 178);
}

TEST(Simulation, two_percent_are_found_and_a_fifth_of_a_percent_is_not)
{
  for (const double call_s : {50e-6, 1e-3, 20e-3}) {
    EXPECT_GE(count(machine(1.02, call_s), 40, {record::Comparison::fast}), 36) << call_s;
    EXPECT_GE(count(machine(1 / 1.02, call_s), 40, {record::Comparison::slow}), 36) << call_s;
    EXPECT_LE(count(machine(1.002, call_s), 40, {record::Comparison::fast}), 2) << call_s;
  }
}

// Whoever calls a kernel pays for its rare calls, too, which no estimate by medians sees.
TEST(Simulation, rare_long_calls_take_a_gain_back)
{
  for (const double ratio : {1.3, 1.8, 3.0}) {
    NoiseModel model = machine(ratio);
    model.spikes = 0.05; // of blocks of 16 calls
    model.spike_s = 20e-3;
    EXPECT_EQ(count(model, 40, {record::Comparison::fast}), 0) << ratio;
  }
}

TEST(Simulation, what_disturbs_both_arms_takes_no_gain_back)
{
  for (const double ratio : {1.05, 1.8}) {
    NoiseModel model = machine(ratio);
    model.outliers = 0.1;
    EXPECT_GE(count(model, 40, {record::Comparison::fast}), 38) << ratio;
  }
}

TEST(Simulation, a_gain_that_long_calls_leave_stays_one)
{
  NoiseModel model = machine(1.8);
  model.spikes = 0.05;
  model.spike_s = 0.5e-3; // 0.05 of 0.4 ms: a few percent
  EXPECT_GE(count(model, 40, {record::Comparison::fast}), 38);
}

// The pairs that ended with a block on stress values.
std::vector<int> stress_pairs_of(double call_s, std::size_t kinds, std::uint64_t seed, double ratio = 1.3)
{
  NoiseModel model = machine(ratio, call_s);
  model.stress_kinds = kinds;
  test::ModelledMachine modelled(model);
  EXPECT_TRUE(compare_blocks(test::request_on_model(seed), modelled));
  return modelled.stress_pairs();
}

TEST(StressBlocks, end_every_pair_but_of_long_calls_on_few_kinds_of_values_one_of_two_until_all_came)
{
  std::set<std::vector<int>> drawn;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    EXPECT_THAT(stress_pairs_of(50e-6, 2, seed), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(stress_pairs_of(0.1, 3, seed), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(stress_pairs_of(0.9, 2, seed), ElementsAre(1)); // beside first calls there is one pair
    drawn.insert(stress_pairs_of(0.1, 2, seed));
    EXPECT_THAT(stress_pairs_of(0.1, 2, seed, 1.025), SizeIs(2)); // there are eight pairs of small differences
  }
  EXPECT_THAT(drawn, UnorderedElementsAre(ElementsAre(1, 3), ElementsAre(1, 4), ElementsAre(2, 3), ElementsAre(2, 4)));
}

TEST(Simulation, equal_seeds_give_equal_results)
{
  EXPECT_EQ(record::to_json(simulated(machine(1.02), 4)), record::to_json(simulated(machine(1.02), 4)));
  EXPECT_NE(record::to_json(simulated(machine(1.02), 4)), record::to_json(simulated(machine(1.02), 5)));
}

TEST(Explanation, a_small_gain_is_looked_at_twice)
{
  const record::ComparisonResult result = simulated(machine(1.02), 1);
  ASSERT_TRUE(result.explanation);
  const record::Explanation& explanation = *result.explanation;
  EXPECT_EQ(explanation.rule, "full");
  ASSERT_THAT(explanation.rounds, SizeIs(2));
  EXPECT_EQ(explanation.rounds[0].pairs, 4);
  EXPECT_THAT(explanation.rounds[0].then, HasSubstr("as many pairs again"));
  EXPECT_EQ(explanation.rounds[1].pairs, 8);
  EXPECT_EQ(explanation.rounds[1].then, "");
  EXPECT_THAT(explanation.pairs, SizeIs(8));
  EXPECT_EQ(explanation.agreement, 0.005);
  EXPECT_EQ(record::deciding_sentence(result), "all eight pairs say at least 0.5 % faster: FAST");
}

TEST(Explanation, counts_what_was_used)
{
  const record::ComparisonResult result = simulated(machine(1.1), 1);
  ASSERT_TRUE(result.explanation);
  int calls = 0;
  for (std::size_t i = 0; i < result.explanation->pairs.size(); ++i) {
    const record::PairEvidence& pair = result.explanation->pairs[i];
    calls += pair.calls;
    EXPECT_EQ(pair.blocks, 4 * (pair.quads + pair.left_out));
    EXPECT_GT(pair.on_clock_s, 0.1);
    EXPECT_GT(pair.spread, 0);
    EXPECT_EQ(pair.ratio, result.pair_ratios[i]);
  }
  EXPECT_GE(calls, result.candidate.calls + result.incumbent.calls); // these are without the quads left out
  EXPECT_NEAR(result.explanation->candidate_first_s, 50e-6 / 1.1, 5e-6);
  EXPECT_NEAR(result.explanation->incumbent_first_s, 50e-6, 5e-6);
}

TEST(Explanation, the_same_has_its_interval)
{
  const record::ComparisonResult result = simulated(machine(1), 1);
  ASSERT_EQ(result.verdict, record::Comparison::same);
  ASSERT_TRUE(result.explanation->quads_ci99);
  EXPECT_GT(result.explanation->quads_ci99->low, 0.99);
  EXPECT_LT(result.explanation->quads_ci99->high, 1.01);
  EXPECT_THAT(record::deciding_sentence(result), HasSubstr("lies within 1 %: SAME"));
}

TEST(Explanation, quads_left_out_are_counted)
{
  NoiseModel model = machine(1.05);
  model.outliers = 0.05;
  const record::ComparisonResult result = simulated(model, 2);
  int left_out = 0;
  for (const record::PairEvidence& pair : result.explanation->pairs) {
    left_out += pair.left_out;
    EXPECT_EQ(pair.left_out > 0, pair.ratio != pair.ratio_with_all);
  }
  EXPECT_GT(left_out, 0);
}

TEST(Explanation, what_the_first_calls_promised_must_show_in_pairs)
{
  NoiseModel model = machine(1.1, 1e-3);
  model.first_candidate = 1 / 3.0; // the first calls say 3.3x
  const record::ComparisonResult misled = simulated(model, 3);
  ASSERT_THAT(misled.explanation->rounds, SizeIs(2));
  EXPECT_EQ(misled.explanation->rounds[0].rule, "twofold");
  EXPECT_THAT(misled.explanation->rounds[0].then, HasSubstr("not what the first calls said"));
  EXPECT_EQ(misled.explanation->rule, "full");
  EXPECT_EQ(misled.verdict, record::Comparison::fast);

  EXPECT_EQ(simulated(machine(3), 3).explanation->rule, "full"); // short calls: many cost little
  const record::ComparisonResult held = simulated(machine(3, 1e-3), 3);
  EXPECT_EQ(held.explanation->rule, "twofold");
  EXPECT_EQ(held.explanation->same_band, 0);
  EXPECT_THAT(record::deciding_sentence(held), HasSubstr("all four pairs say at least 5"));
}

TEST(Explanation, slow_calls_and_searching_have_rules_of_their_own)
{
  EXPECT_EQ(simulated(machine(1.5, 1), 4).explanation->rule, "slow");
  EXPECT_EQ(simulated(machine(1.8, 0.05), 4).explanation->rule, "full");
  const record::ComparisonResult searching = simulated(machine(1.8, 0.05), 4, true);
  EXPECT_EQ(searching.explanation->rule, "searching");
  EXPECT_THAT(record::deciding_sentence(searching), HasSubstr("both pairs say at least 10"));
}

TEST(Explanation, a_gain_that_hangs_on_where_code_lies_is_none)
{
  NoiseModel model = machine(1.06);
  model.ratio_elsewhere = 0.98;
  const record::ComparisonResult gone = simulated(model, 5, false, record::Regime::cold);
  EXPECT_EQ(gone.verdict, record::Comparison::ambiguous);
  ASSERT_THAT(gone.explanation->elsewhere, SizeIs(1)); // the first other offset was enough
  EXPECT_EQ(gone.explanation->elsewhere[0].offset, 64);
  EXPECT_THAT(gone.explanation->elsewhere[0].pair_ratios, SizeIs(2));
  EXPECT_THAT(record::deciding_sentence(gone), HasSubstr("AMBG, because placement"));

  const record::ComparisonResult holds = simulated(machine(1.06), 5, false, record::Regime::cold);
  EXPECT_EQ(holds.verdict, record::Comparison::fast);
  EXPECT_THAT(holds.explanation->elsewhere, SizeIs(2));
  EXPECT_THAT(simulated(machine(1.06), 5).explanation->elsewhere, SizeIs(0)); // hot: not looked into
}

TEST(Explanation, disturbances_raise_the_limit_and_are_named)
{
  NoiseModel model = machine(1.3);
  model.outliers = 0.5;
  const record::ComparisonResult result = simulated(model, 6);
  const record::Explanation& explanation = *result.explanation;
  ASSERT_GT(explanation.cpu_missing, explanation.disturbed);
  EXPECT_NEAR(explanation.agreement, 0.005 + 2 * std::max(explanation.cpu_missing, explanation.apart), 1e-12);
  ASSERT_EQ(result.verdict, record::Comparison::fast);
  EXPECT_THAT(record::deciding_sentence(result), HasSubstr("(0.5 % and twice what disturbed them): FAST"));

  model.ratio = 1.01;
  const record::ComparisonResult small = simulated(model, 6);
  EXPECT_EQ(record::deciding_sentence(small), "AMBG, because " + small.reason);
  EXPECT_THAT(small.reason, HasSubstr("the machine was busy"));
}

TEST(Explanation, survives_the_round_trip_through_json)
{
  record::Verdict verdict;
  verdict.comparisons = {simulated(machine(1), 7), simulated(machine(1.06), 7, false, record::Regime::cold)};
  verdict.comparisons[0].explanation->machine = record::MachineConditions{1.5, 0.25, std::nullopt, 3, {3.5, 3.6}};
  const Json json = record::to_json(verdict);
  const auto back = record::verdict_from_json(json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(record::to_json(*back), json);
  ASSERT_TRUE(back->comparisons[0].explanation->machine);
  EXPECT_EQ(back->comparisons[0].explanation->machine->stolen_s, 0.25);
  EXPECT_FALSE(back->comparisons[0].explanation->machine->quota_s);

  Json old = json; // a record of a version that kept none
  old["comparisons"][0].erase("explanation");
  const auto older = record::verdict_from_json(old);
  ASSERT_TRUE(older);
  EXPECT_FALSE(older->comparisons[0].explanation);
  old["comparisons"][1]["explanation"]["rounds"][0]["verdict"] = "SPLENDID";
  EXPECT_FALSE(record::verdict_from_json(old));
}

// Interrupted quads make all the difference: FAST without them, SAME side not with them.
TEST(Explanation, agreement_only_without_interrupted_quads_is_said)
{
  std::vector<PairRecord> pairs;
  for (int p = 0; p < 4; ++p) {
    PairRecord pair;
    for (int i = 0; i < 40; ++i) {
      const double scatter = 1 + 0.03 * (i / 2 % 3 - 1); // of quads: too much for SAME
      const bool interrupted = i / 2 % 5 < 2;
      pair.blocks[0].push_back({16, 1e-3 * scatter, 1e-3 * scatter, 1e-3 * scatter});
      pair.blocks[1].push_back({16, 1.02e-3, 1.02e-3, 1.02e-3});
      pair.blocks[0].back().wall_s *= interrupted ? 1.3 : 1;
    }
    pairs.push_back(std::move(pair));
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  ASSERT_EQ(result.verdict, record::Comparison::ambiguous);
  EXPECT_GT(result.explanation->pairs[0].left_out, 0);
  EXPECT_THAT(result.reason, HasSubstr("only without the quads in which something else had the CPU"));
}

} // namespace
} // namespace hone::gate
