#include "gate/compare.h"
#include "gate/cpus.h"
#include "session_bench.h"
#include "util/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

using testing::HasSubstr;

// Block times as a quiet machine gives them: an error per pair (placement) and a smaller one per block.
struct Machine {
  double call_s = 50e-6;
  double effect = 0;            // the candidate takes (1 + effect) times as long
  double between_pairs = 0.002; // standard deviations of the log
  double within_pair = 0.004;
  double handshake_s = 5e-6;
};

BlockRecord block(const Machine& machine, double factor, Random& random)
{
  BlockRecord record;
  record.calls = 16;
  const double work = record.calls * machine.call_s * factor * std::exp(machine.within_pair * random.normal());
  record.stamps_s = record.child_cpu_s = work;
  record.wall_s = work + machine.handshake_s;
  return record;
}

std::vector<PairRecord> record(const Machine& machine, Random& random, int pairs = 4, int quads = 30)
{
  std::vector<PairRecord> records;
  for (int p = 0; p < pairs; ++p) {
    const double candidate_factor = (1 + machine.effect) * std::exp(machine.between_pairs * random.normal());
    PairRecord pair;
    for (int i = 0; i < 2 * quads; ++i) {
      pair.blocks[0].push_back(block(machine, candidate_factor, random));
      pair.blocks[1].push_back(block(machine, 1, random));
    }
    records.push_back(std::move(pair));
  }
  return records;
}

struct Counts {
  int fast = 0, slow = 0, same = 0, ambiguous = 0;
};

Counts judge_many(const Machine& machine, int comparisons)
{
  Counts counts;
  Random random(20);
  for (int i = 0; i < comparisons; ++i) {
    switch (decide(record(machine, random), TimingRule::unanimous).verdict) {
    case record::Comparison::fast:
      ++counts.fast;
      break;
    case record::Comparison::slow:
      ++counts.slow;
      break;
    case record::Comparison::same:
      ++counts.same;
      break;
    case record::Comparison::ambiguous:
      ++counts.ambiguous;
      break;
    }
  }
  return counts;
}

TEST(Decide, equals_are_the_same)
{
  const Counts counts = judge_many({}, 200);
  EXPECT_EQ(counts.fast + counts.slow, 0);
  EXPECT_GE(counts.same, 190);
}

TEST(Decide, finds_three_percent_either_way)
{
  Machine slower;
  slower.effect = 0.03;
  EXPECT_EQ(judge_many(slower, 100).slow, 100);
  Machine faster;
  faster.effect = -0.03;
  EXPECT_EQ(judge_many(faster, 100).fast, 100);
}

TEST(Decide, pairs_that_disagree_are_ambiguous)
{
  Machine unsteady; // the error between processes dominates: more samples within do not help
  unsteady.between_pairs = 0.03;
  const Counts counts = judge_many(unsteady, 200);
  EXPECT_LE(counts.fast + counts.slow, 40); // four signs agree by chance once in eight
  EXPECT_GE(counts.ambiguous, 150);
}

TEST(Decide, workers_that_were_kept_waiting_are_a_disturbance)
{
  Random random(6);
  auto pairs = record({}, random);
  for (PairRecord& pair : pairs) {
    for (BlockRecord& b : pair.blocks[0]) {
      b.waited_s = 0.04 * b.wall_s; // the main thread, which spins, had its CPU all the time
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::ambiguous);
  EXPECT_THAT(result.reason, HasSubstr("threads together waited for their CPUs"));
}

TEST(Decide, bias_that_changes_sides_is_no_verdict)
{
  Random random(5);
  auto pairs = record({}, random);
  const auto bias = [](std::vector<BlockRecord>& blocks) {
    for (BlockRecord& b : blocks) {
      b.wall_s *= 1.04;
      b.child_cpu_s *= 1.04;
      b.stamps_s *= 1.04;
    }
  };
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    bias(pairs[p].blocks[p % 2]);
  }
  const record::Comparison swapped = decide(pairs, TimingRule::unanimous).verdict;
  EXPECT_NE(swapped, record::Comparison::fast);
  EXPECT_NE(swapped, record::Comparison::slow);
  for (std::size_t p = 1; p < pairs.size(); p += 2) {
    bias(pairs[p].blocks[0]);
    bias(pairs[p].blocks[0]);
  }
  EXPECT_EQ(decide(pairs, TimingRule::unanimous).verdict, record::Comparison::slow);
}

TEST(Decide, a_difference_that_is_small_or_scattered_may_be_chance)
{
  const auto doubtful = [](std::vector<double> ratios) {
    record::ComparisonResult result;
    result.pair_ratios = std::move(ratios);
    return may_be_chance(result);
  };
  EXPECT_FALSE(doubtful({1.04, 1.05, 1.04, 1.05}));
  EXPECT_FALSE(doubtful({0.90, 0.91, 0.90, 0.92}));
  EXPECT_TRUE(doubtful({1.02, 1.02, 1.02, 1.02}));
  EXPECT_TRUE(doubtful({1.01, 1.09, 1.02, 1.08}));
  EXPECT_TRUE(doubtful({0.99, 0.93, 0.98, 0.92}));
}

// The clock of the CPU falls by a tenth during each quad: its blocks lie symmetrically in time.
TEST(Decide, a_clock_that_drifts_is_no_difference)
{
  Random random(15);
  std::vector<PairRecord> pairs = record({}, random);
  for (PairRecord& pair : pairs) {
    const std::size_t quads = pair.blocks[0].size() / 2;
    for (std::size_t quad = 0; quad < quads; ++quad) {
      for (std::size_t place = 0; place < 4; ++place) { // ABBA
        const std::size_t arm = place == 0 || place == 3 ? 0 : 1;
        BlockRecord& block = pair.blocks[arm][2 * quad + place / 2];
        const double slower = 1 + 0.03 * static_cast<double>(place);
        block.wall_s *= slower;
        block.child_cpu_s *= slower;
        block.stamps_s *= slower;
      }
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::same) << result.reason;
  EXPECT_NEAR(result.ratio, 1, 0.005);
}

TEST(Decide, ratio_and_interval_belong_together)
{
  Machine machine;
  machine.effect = 0.25;
  Random random(6);
  const record::ComparisonResult result = decide(record(machine, random), TimingRule::unanimous);
  EXPECT_NEAR(result.ratio, 0.8, 0.01);
  EXPECT_LT(result.ci95.low, result.ratio);
  EXPECT_GT(result.ci95.high, result.ratio);
  EXPECT_EQ(result.pair_ratios.size(), 4U);
  EXPECT_NEAR(result.incumbent.median, 50e-6, 1e-6);
  EXPECT_NEAR(result.candidate.median, 62.5e-6, 1e-6);
  EXPECT_EQ(result.candidate.calls, 4 * 60 * 16);
  EXPECT_EQ(result.rule, name_of(TimingRule::unanimous));
}

TEST(Decide, a_busy_machine_proves_nothing_small)
{
  Random random(7);
  Machine machine;
  machine.effect = -0.05;
  auto pairs = record(machine, random);
  for (PairRecord& pair : pairs) {
    for (std::size_t i = 0; i < pair.blocks[1].size(); i += 3) {
      pair.blocks[1][i].wall_s *= 1.2; // the incumbent was preempted now and then
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::ambiguous);
  EXPECT_THAT(result.reason, HasSubstr("the machine was busy"));
}

TEST(Decide, interrupted_quads_are_left_out)
{
  Random random(9);
  std::vector<PairRecord> pairs = record({}, random);
  for (PairRecord& pair : pairs) {
    for (std::size_t i = 0; i < pair.blocks[0].size(); i += 5) { // one arm only: the worst that can happen
      pair.blocks[0][i].wall_s += 1e-3;
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::same) << result.reason;
  EXPECT_NEAR(result.ratio, 1, 0.01);
}

// A copy that sleeps whenever a block of its own went badly, to have that quad left out.
TEST(Decide, sleeping_through_bad_quads_gains_nothing)
{
  Random random(12);
  Machine machine;
  machine.between_pairs = 0;
  machine.within_pair = 0.03;
  std::vector<PairRecord> pairs = record(machine, random);
  for (PairRecord& pair : pairs) {
    for (BlockRecord& block : pair.blocks[0]) {
      if (block.child_cpu_s > 1.02 * block.calls * machine.call_s) {
        block.wall_s *= 1.1;
      }
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_NE(result.verdict, record::Comparison::fast) << result.ratio;
}

// A copy that gets hold of the CPU during a third of the other arm's blocks.
TEST(Decide, taking_time_from_the_other_arm_gains_nothing)
{
  for (const TimingRule rule : {TimingRule::unanimous, TimingRule::twofold, TimingRule::slow}) {
    Random random(13);
    std::vector<PairRecord> pairs = record({}, random);
    for (PairRecord& pair : pairs) {
      for (std::size_t i = 0; i < pair.blocks[1].size(); i += rule == TimingRule::unanimous ? 3 : 1) {
        pair.blocks[1][i].wall_s *= rule == TimingRule::twofold ? 1.8 : 1.24;
      }
    }
    EXPECT_NE(decide(pairs, rule).verdict, record::Comparison::fast) << name_of(rule);
  }
}

TEST(Decide, twofold_needs_most_of_what_the_first_calls_promised)
{
  Machine machine;
  Random random(14);
  machine.effect = -0.3; // 1.43x
  EXPECT_EQ(decide(record(machine, random, 4, 3), TimingRule::twofold).verdict, record::Comparison::ambiguous);
  machine.effect = -0.45; // 1.82x
  EXPECT_EQ(decide(record(machine, random, 4, 3), TimingRule::twofold).verdict, record::Comparison::fast);
}

TEST(Decide, an_effect_far_beyond_the_disturbance_stands)
{
  Random random(8);
  Machine machine;
  machine.effect = -0.4;
  auto pairs = record(machine, random);
  for (PairRecord& pair : pairs) {
    for (std::size_t i = 0; i < pair.blocks[1].size(); i += 3) {
      pair.blocks[1][i].wall_s *= 1.2;
    }
  }
  EXPECT_EQ(decide(pairs, TimingRule::unanimous).verdict, record::Comparison::fast);
}

TEST(Decide, stamps_that_hide_time_prove_nothing)
{
  Random random(9);
  Machine machine;
  machine.effect = -0.02;
  auto pairs = record(machine, random);
  for (PairRecord& pair : pairs) {
    for (BlockRecord& b : pair.blocks[0]) {
      b.stamps_s *= 0.92;
    }
  }
  const record::ComparisonResult result = decide(pairs, TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::ambiguous);
  EXPECT_THAT(result.reason, HasSubstr("differs by"));
}

TEST(Decide, too_few_quads_are_never_the_same)
{
  Random random(11);
  Machine machine;
  machine.between_pairs = 0;
  machine.within_pair = 0.0001;
  const record::ComparisonResult result = decide(record(machine, random, 4, 1), TimingRule::unanimous);
  EXPECT_EQ(result.verdict, record::Comparison::ambiguous);
  EXPECT_THAT(result.reason, HasSubstr("too few"));
  EXPECT_EQ(decide(record(machine, random, 4, 2), TimingRule::unanimous).verdict, record::Comparison::same);
}

TEST(Decide, slow_calls_need_large_differences)
{
  Random random(12);
  Machine machine;
  machine.call_s = 1;
  machine.effect = -0.05;
  EXPECT_EQ(decide(record(machine, random, 2, 1), TimingRule::slow).verdict, record::Comparison::ambiguous);
  machine.effect = -0.5;
  const record::ComparisonResult result = decide(record(machine, random, 2, 1), TimingRule::slow);
  EXPECT_EQ(result.verdict, record::Comparison::fast);
  EXPECT_NEAR(result.ratio, 2, 0.05);
}

TEST(Rule, follows_the_first_calls)
{
  EXPECT_EQ(rule_for(1e-3, 1.5e-3), TimingRule::unanimous);
  EXPECT_EQ(rule_for(1e-3, 2.5e-3), TimingRule::twofold);
  EXPECT_EQ(rule_for(2.5e-3, 1e-3), TimingRule::twofold);
  EXPECT_EQ(rule_for(0.6, 0.6), TimingRule::slow);
  EXPECT_EQ(rule_for(1e-3, 0.6), TimingRule::slow);
  EXPECT_EQ(rule_for(0.03, 0.06), TimingRule::unanimous);
  EXPECT_EQ(rule_for(0.03, 0.06, true), TimingRule::slow);
  EXPECT_EQ(rule_for(0.03, 0.04, true), TimingRule::unanimous);
  EXPECT_EQ(rule_for(0.001, 0.005, true), TimingRule::twofold);
}

TEST(BlockPlan, follows_the_table)
{
  const auto around = [](double call_s) { return block_plan(call_s, 4096); };
  EXPECT_EQ(around(0.5e-6).shortest, 192U);
  EXPECT_EQ(around(0.5e-6).longest, 320U);
  EXPECT_EQ(around(2e-6).longest, 80U);
  EXPECT_EQ(around(2e-6).settle, 2U);
  EXPECT_EQ(around(50e-6).longest, 20U);
  EXPECT_EQ(around(1e-3).longest, 5U);
  EXPECT_EQ(around(20e-3).longest, 1U);
  EXPECT_EQ(around(20e-3).settle, 0U);
}

TEST(PairBudget, has_enough_quads_for_a_claim_however_slow)
{
  const PairBudget budget = pair_budget(0.4, block_plan(0.4, 4), 0.1);
  EXPECT_TRUE(goes_on(budget, 1, 100, 100)); // four pairs of two
  EXPECT_FALSE(goes_on(budget, 2, 3.2, 3.2));
}

TEST(PairBudget, ends_by_work_done_not_by_time_lost)
{
  const PairBudget budget = pair_budget(50e-6, block_plan(50e-6, 64), 0.1);
  EXPECT_TRUE(goes_on(budget, 10, 0.05, 1));
  EXPECT_FALSE(goes_on(budget, 10, 0.11, 0.11));
  EXPECT_FALSE(goes_on(budget, 10, 0.05, 10));
  EXPECT_FALSE(goes_on(budget, 150, 0.01, 0.01));
  EXPECT_NEAR(pair_budget(20e-3, block_plan(20e-3, 4), 0.1).cpu_s, 0.32, 1e-9);
}

TEST(BlockPlan, keeps_within_the_sets_there_are)
{
  const BlockPlan plan = block_plan(50e-6, 3);
  EXPECT_EQ(plan.settle, 1U);
  EXPECT_EQ(plan.longest, 2U);
  EXPECT_EQ(block_plan(50e-6, 1).longest, 1U);
  EXPECT_EQ(block_plan(50e-6, 1).settle, 0U);
}

// Comparisons of real runners. Nothing here depends on how long anything takes.
class CompareSessions : public testing::TestWithParam<record::Regime> {
protected:
  Result<CompareOutcome> compare(const backend::Module& candidate, const backend::Module& incumbent)
  {
    m_request.kernel = &m_kernel;
    m_request.recipe.sizes = {{"n", m_n}};
    m_request.recipe.pairs = 2;
    m_request.recipe.seconds_per_pair = 0.001;
    m_request.regime = GetParam();
    m_request.candidate = {&test::cpu_runner_backend(), &candidate, &m_plan, {}, {}};
    m_request.incumbent = {&test::cpu_runner_backend(), &incumbent, &m_plan, {}, {}};
    m_request.cpus = m_cpus;
    m_request.seed = 99;
    TimingHooks hooks;
    hooks.begin = [this](Arena&) { ++m_arenas; };
    hooks.refill = [this](Arena& arena, std::span<const std::uint32_t> sets, Arm) {
      for (const std::uint32_t set : sets) {
        test::fill_inputs(arena, set, GetParam() == record::Regime::hot ? 1 : ++m_seed);
      }
      return Result<void>();
    };
    hooks.write_unseen = [this](Arena& arena, std::uint32_t set) {
      test::fill_inputs(arena, set, ++m_seed);
      return Result<void>();
    };
    hooks.check = [this](Arena& arena, std::span<const std::uint32_t> sets, Arm) -> Result<SessionResult<void>> {
      for (const std::uint32_t set : sets) {
        ++m_checked;
        if (!test::output_is_right(arena, set)) {
          return SessionResult<void>(std::unexpected(SessionEnd{record::Status::correctness, "wrong output", {}}));
        }
      }
      return SessionResult<void>();
    };
    return compare_lanes(m_request, hooks, m_memory);
  }

  static constexpr std::int64_t m_n = 4096;
  std::vector<int> m_cpus{sched_getcpu()};
  const kernel::Kernel m_kernel = test::axpy_kernel();
  kernel::ResolvedPlan m_plan = test::plan_of(m_n);
  const backend::Module m_good = test::image_of(test::k_good_body);
  CompareRequest m_request;
  std::optional<Arena> m_memory;
  std::uint64_t m_seed = 0;
  int m_arenas = 0;
  int m_checked = 0;
};

INSTANTIATE_TEST_SUITE_P(Regimes, CompareSessions, testing::Values(record::Regime::cold, record::Regime::hot));

TEST_P(CompareSessions, all_timed_calls_are_checked)
{
  const auto outcome = compare(m_good, m_good);
  ASSERT_TRUE(outcome) << outcome.error().text();
  ASSERT_FALSE(outcome->failure) << outcome->failure->end.reason;
  EXPECT_EQ(outcome->result.regime, GetParam());
  EXPECT_GE(outcome->result.pair_ratios.size(), 2U);
  EXPECT_GE(m_arenas, 3); // the probe's and one per pair
  EXPECT_GE(m_checked, outcome->result.candidate.calls + outcome->result.incumbent.calls);
}

// Four groups on two workers, which are one where there is no other CPU.
TEST_P(CompareSessions, two_threads_are_timed_and_checked_like_one)
{
  const std::vector<int> cpus = usable_cpus();
  m_cpus = {cpus.front(), cpus.back()};
  m_plan = test::plan_of(m_n, 4);
  const std::string share = "const long first = n / 4 * group->id[0];"
                            "for (long i = first; i < first + n / 4; ++i) C[i] = 2 * A[i] + B[i];";
  const backend::Module good = test::image_of(share);
  auto outcome = compare(good, good);
  for (int i = 0; i < 4 && outcome && outcome->failure; ++i) { // both CPUs of a busy machine are somebody else's
    outcome = compare(good, good);
  }
  ASSERT_TRUE(outcome) << outcome.error().text();
  ASSERT_FALSE(outcome->failure) << outcome->failure->end.reason;
  EXPECT_GE(m_checked, outcome->result.candidate.calls + outcome->result.incumbent.calls);

  // One worker forges the answer, the other works on while it should be the other arm's turn.
  const backend::Module busy = test::image_of(test::with_control_areas(
    share + "if (group->id[0] == 3) { answer(); for (int r = 0; r < 1000000; ++r) asm volatile(\"\"); }"));
  const auto spoiled = compare(busy, good);
  ASSERT_TRUE(spoiled) << spoiled.error().text();
  EXPECT_TRUE(spoiled->failure || spoiled->result.verdict != record::Comparison::fast);
}

TEST_P(CompareSessions, far_apart_is_fast)
{
  const backend::Module slow =
    test::image_of("for (int r = 0; r < 200; ++r) { asm volatile(\"\" ::: \"memory\"); " + test::k_good_body + " }");
  const auto outcome = compare(m_good, slow);
  ASSERT_TRUE(outcome && !outcome->failure);
  EXPECT_EQ(outcome->result.verdict, record::Comparison::fast);
  EXPECT_GT(outcome->result.ratio, 3);
}

// Where inputs repeat, a result that is kept beside some of its inputs is found again: only values that were never
// there show how long the work takes.
TEST_P(CompareSessions, keeping_results_does_not_pay)
{
  const std::string slow_body =
    "for (int r = 0; r < 200; ++r) { asm volatile(\"\" ::: \"memory\"); " + test::k_good_body + " }";
  const backend::Module slow = test::image_of(slow_body);
  const backend::Module keeping =
    test::image_of("struct Kept { long mark; float a, b; float values[4096]; };"
                   "char* depth = (char*)__builtin_frame_address(0) - (1 << 20);" // deeper than the runner overwrites
                   "auto* kept = (Kept*)((unsigned long)depth & ~4095ul);"
                   "if (kept->mark == 4711 && kept->a == A[0] && kept->b == B[0]) {"
                   "  for (long i = 0; i < n; ++i) C[i] = kept->values[i];"
                   "  return;"
                   "}"
                   + slow_body
                   + "kept->mark = 4711; kept->a = A[0]; kept->b = B[0];"
                     "for (long i = 0; i < n; ++i) kept->values[i] = C[i];");
  m_request.repeats_inputs = GetParam() == record::Regime::hot;
  m_request.settle_doubt = true;
  const auto outcome = compare(keeping, slow);
  ASSERT_TRUE(outcome) << outcome.error().text();
  if (GetParam() == record::Regime::cold) {
    ASSERT_FALSE(outcome->failure) << outcome->failure->end.reason;
    EXPECT_LT(outcome->result.ratio, 2);
    return;
  }
  if (!outcome->failure) { // a busy machine: no gain was seen, and none is given
    EXPECT_NE(outcome->result.verdict, record::Comparison::fast);
    return;
  }
  EXPECT_EQ(outcome->failure->arm, Arm::candidate);
  EXPECT_EQ(outcome->failure->end.status, record::Status::rejected);
  EXPECT_THAT(outcome->failure->end.reason, HasSubstr("keeps results"));

  const auto honest = compare(m_good, slow);
  ASSERT_TRUE(honest) << honest.error().text();
  EXPECT_FALSE(honest->failure) << honest->failure->end.reason;
}

TEST_P(CompareSessions, a_wrong_candidate_ends_it)
{
  // Right for the first few calls, then a shortcut: only checks of timed calls see it.
  const backend::Module drifting = test::image_of(test::k_good_body + "if (A[0] > 900) C[n / 2] += 1;");
  const auto outcome = compare(GetParam() == record::Regime::cold ? drifting : test::image_of("C[0] = 0;"), m_good);
  ASSERT_TRUE(outcome && outcome->failure);
  EXPECT_EQ(outcome->failure->arm, Arm::candidate);
  EXPECT_EQ(outcome->failure->end.status, record::Status::correctness);
}

TEST_P(CompareSessions, work_deferred_to_a_later_call_is_wrong)
{
  // Keeps the arguments of the last call in its own stack's depths and computes them one call late.
  const backend::Module deferring =
    test::image_of("struct Late { const float* a; const float* b; float* c; long mark; };"
                   "char* depth = (char*)__builtin_frame_address(0) - 32768;"
                   "auto* late = (Late*)((unsigned long)depth & ~4095ul);"
                   "if (late->mark == 4711) for (long i = 0; i < n; ++i) late->c[i] = 2 * late->a[i] + late->b[i];"
                   "*late = Late{A, B, C, 4711};");
  const auto outcome = compare(deferring, m_good);
  ASSERT_TRUE(outcome && outcome->failure);
  EXPECT_EQ(outcome->failure->end.status, record::Status::correctness);
}

TEST_P(CompareSessions, writing_out_of_bounds_while_timed_is_rejected)
{
  const auto outcome = compare(m_good, test::image_of(test::k_good_body + "C[n] = 1;"));
  ASSERT_TRUE(outcome && outcome->failure);
  EXPECT_EQ(outcome->failure->arm, Arm::incumbent);
  EXPECT_EQ(outcome->failure->end.status, record::Status::rejected);
  EXPECT_THAT(outcome->failure->end.reason, HasSubstr("wrote 4 bytes past the end of C"));
}

// A runner may forge its answer. Either the parent looks at once and finds the work undone, or the runner keeps the
// CPU, which both share, and the clock runs on; which of them happens is the scheduler's choice.
TEST_P(CompareSessions, answering_early_does_not_pay)
{
  const backend::Module early = test::image_of(
    test::with_control_areas("answer(); for (int r = 0; r < 100000; ++r) asm volatile(\"\");" + test::k_good_body));
  const auto outcome = compare(early, m_good);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_TRUE(outcome->failure || outcome->result.verdict != record::Comparison::fast);
}

// The same with the work done first: the rest of the time is to be the incumbent's.
TEST_P(CompareSessions, spinning_while_the_other_is_timed_does_not_pay)
{
  const backend::Module busy = test::image_of(
    test::with_control_areas(test::k_good_body + "answer(); for (int r = 0; r < 1000000; ++r) asm volatile(\"\");"));
  const auto outcome = compare(busy, m_good);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_TRUE(outcome->failure || outcome->result.verdict != record::Comparison::fast);
}

TEST_P(CompareSessions, stops_when_asked)
{
  std::stop_source source;
  source.request_stop();
  m_request.stop = source.get_token();
  const auto outcome = compare(m_good, m_good);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("stopped"));
}

} // namespace
} // namespace hone::gate
