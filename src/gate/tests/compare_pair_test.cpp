// When a pair's data are written; and whatever CPU time a runner uses is in the time of some block of its own: also
// what it uses ahead of the clock, and what it uses after an answer that it forged. Nothing here depends on how long
// anything takes.
#include "backend/runner_abi.h"
#include "gate/compare_pair.h"
#include "session_bench.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <sched.h>
#include <unistd.h>

namespace hone::gate {
namespace {

constexpr std::int64_t k_pair_extent = 4096;
constexpr double k_charged_s = 2.9e-3; // of 3 ms, which is less than what is rejected

// Uses up CPU time by the process's own clock.
const std::string k_burn =
  "auto cpu_ns = [] { long t[2]; system_call(228, 2, (long)t); return t[0] * 1000000000 + t[1]; };"
  "const long end = cpu_ns() + 3000000; while (cpu_ns() < end) {}";

std::string calls_of_this_block()
{
  return fmt::format("*(unsigned*)(job + {})", offsetof(backend::runner::Job, block_calls));
}

class PairOfRunners : public testing::Test {
protected:
  void SetUp() override
  {
    m_request.cpus = {sched_getcpu()};
    ASSERT_EQ(sched_getaffinity(0, sizeof m_before, &m_before), 0);
    cpu_set_t only; // as a comparison does
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(m_request.cpus.front()), &only);
    ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
  }

  void open(const std::string& candidate)
  {
    m_candidate = test::image_of(candidate);
    m_incumbent = test::image_of(test::k_good_body);
    m_request.kernel = &m_kernel;
    m_request.recipe.sizes = {{"n", k_pair_extent}};
    m_request.candidate = {&test::cpu_runner_backend(), &m_candidate, &m_plan, {}, {}, {}};
    m_request.incumbent = {&test::cpu_runner_backend(), &m_incumbent, &m_plan, {}, {}, {}};
    m_hooks.refill = [this](Arena& arena, std::span<const std::uint32_t> sets, Arm) {
      for (const std::uint32_t set : sets) {
        test::fill_inputs(arena, set, ++m_seed);
      }
      m_refilled.emplace_back(sets.begin(), sets.end());
      usleep(m_pause_us); // whoever wants the CPU has it
      return Result<void>();
    };
    m_hooks.check = [](Arena&, std::span<const std::uint32_t>, Arm) {
      return Result<SessionResult<void>>(SessionResult<void>());
    };
    auto pair = RunnerPair::open(m_request, m_hooks, {32, 5, 0}, m_random, std::nullopt);
    ASSERT_TRUE(pair && *pair);
    m_pair.emplace(std::move(**pair));
  }

  ~PairOfRunners() override { sched_setaffinity(0, sizeof m_before, &m_before); }

  double time_of(std::uint32_t calls, std::uint32_t settle)
  {
    const auto block = m_pair->run_block(Arm::candidate, calls, settle);
    EXPECT_TRUE(block && *block) << (block ? block->error().end.reason : block.error().text());
    return block && *block ? (*block)->wall_s : 0;
  }

  cpu_set_t m_before{};
  const kernel::Kernel m_kernel = test::axpy_kernel();
  const kernel::ResolvedPlan m_plan = test::plan_of(k_pair_extent);
  backend::Module m_candidate, m_incumbent;
  CompareRequest m_request;
  TimingHooks m_hooks;
  Random m_random{1};
  std::uint64_t m_seed = 0;
  unsigned m_pause_us = 0;
  std::vector<std::vector<std::uint32_t>> m_refilled;
  std::optional<RunnerPair> m_pair;
};

TEST_F(PairOfRunners, data_are_written_as_soon_as_a_block_is_over_but_right_before_a_call_that_is_one)
{
  open(test::k_good_body);
  time_of(4, 1);
  ASSERT_EQ(m_refilled.size(), 2U);
  EXPECT_EQ(m_refilled[0].size(), 5U);
  EXPECT_EQ(m_refilled[1], m_refilled[0]);
  time_of(1, 0);
  EXPECT_EQ(m_refilled.size(), 3U);
  for (int i = 0; i < 32; ++i) {
    time_of(1, 0); // all the way round
  }
  EXPECT_GE(m_refilled.size(), 3U + 32U - 5U); // five waited
}

TEST_F(PairOfRunners, results_are_overwritten_where_their_inputs_may_come_again)
{
  for (const bool repeats : {false, true}) {
    m_request.repeats_inputs = repeats;
    open(test::k_good_body);
    time_of(1, 0);
    Arena arena = RunnerPair::take_arena(std::move(*m_pair));
    EXPECT_EQ(test::output_is_right(arena, m_refilled.back().front()), !repeats);
    m_pair.reset();
  }
}

TEST_F(PairOfRunners, settling_calls_take_no_more_than_timed_ones_for_nothing)
{
  // The settling call is a block of one. The inputs of the timed calls lie there by then.
  open(test::with_control_areas("if (" + calls_of_this_block() + " == 1) {" + k_burn + "}" + test::k_good_body));
  EXPECT_GE(time_of(16, 1), k_charged_s);
}

TEST_F(PairOfRunners, work_while_the_data_of_the_next_block_are_written_counts)
{
  // It waits until the parent is at it.
  open(test::with_control_areas(test::k_good_body
                                + "answer(); long pause[2] = {0, 5000000}; unsigned word = 0;"
                                  "system_call(202, (long)&word, 0, 0, (long)pause);"
                                + k_burn));
  double seconds = time_of(1, 0);
  m_pause_us = 20'000;
  seconds += time_of(1, 0);
  EXPECT_GE(seconds, k_charged_s);
}

} // namespace
} // namespace hone::gate
