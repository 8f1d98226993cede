// Runners with several workers: groups side by side, and every way in which one worker can end them all. Nothing here
// depends on which worker is faster: groups that must be in the hands of different workers wait for each other.
#include "gate/cpus.h"
#include "gate/runner_session.h"
#include "session_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone::gate {
namespace {

using test::image_of;
using test::k_c;
using testing::HasSubstr;

constexpr std::int64_t k_thread_extent = 64;
constexpr std::uint32_t k_only_set[] = {0};

// Two CPUs, or one twice where there is no other: slow, but right.
std::vector<int> two_cpus()
{
  const std::vector<int> cpus = usable_cpus();
  return {cpus.front(), cpus.back()};
}

struct OpenedSession {
  kernel::ResolvedPlan plan;
  backend::Module module;
  Arena arena;
  std::optional<RunnerSession> session;
};

std::unique_ptr<OpenedSession> open(const std::string& body, std::int64_t groups, std::int64_t shared_bytes = 0)
{
  ArenaSpec arena;
  static const kernel::Kernel kernel = test::axpy_kernel();
  arena.kernel = &kernel;
  arena.sizes = {{"n", k_thread_extent}};
  arena.shared_bytes = shared_bytes;
  arena.workers = 2;
  arena.layout_seed = 7;
  auto memory = Arena::create(arena);
  EXPECT_TRUE(memory) << memory.error().text();
  auto opened = std::make_unique<OpenedSession>(
    OpenedSession{test::plan_of(k_thread_extent, groups), image_of(body), std::move(*memory), {}});
  opened->plan.launches.front().shared_bytes = shared_bytes;
  SessionSpec spec = test::session_spec(opened->module, opened->plan);
  spec.cpus = two_cpus();
  spec.call_deadline = std::chrono::seconds(20);
  auto session = RunnerSession::open(spec, opened->arena);
  EXPECT_TRUE(session) << session.error().text();
  EXPECT_TRUE(*session) << session->error().reason;
  if (session && *session) {
    opened->session.emplace(std::move(**session));
  }
  auto* values = reinterpret_cast<float*>(opened->arena.tensor(0, k_c).data());
  std::fill_n(values, k_thread_extent, 0.0F);
  return opened;
}

const float* outputs(OpenedSession& opened)
{
  return reinterpret_cast<const float*>(opened.arena.tensor(0, k_c).data());
}

// The first half of the groups is the main thread's to begin with, the rest the other worker's: both wait here until
// the other has come, so that each has begun with a group of its own.
const std::string k_meet = "const bool on_worker = group->id[0] >= group->count[0] / 2;"
                           "volatile float* here = C + 60;"
                           "here[on_worker] = 1;"
                           "while (here[!on_worker] == 0) asm volatile(\"\");";

SessionEnd end_on_worker(const std::string& body)
{
  const auto opened = open(k_meet + "if (on_worker) {" + body + "}", 2);
  const auto done = opened->session->run_block(k_only_set);
  EXPECT_FALSE(done) << body;
  return done ? SessionEnd{} : done.error();
}

TEST(SessionThreads, every_group_runs_once_and_both_workers_run_some)
{
  const auto opened = open(k_meet + "C[group->id[0]] += 1 + group->id[0];", 50);
  for (int call = 0; call < 3; ++call) {
    auto* values = reinterpret_cast<float*>(opened->arena.tensor(0, k_c).data());
    std::fill_n(values, k_thread_extent, 0.0F);
    const auto timing = opened->session->run_block(k_only_set);
    ASSERT_TRUE(timing) << timing.error().reason;
    EXPECT_GT(timing->child_cpu_s, 0);
    EXPECT_GE(timing->waited_s, 0);
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(outputs(*opened)[i], 1 + i);
    }
  }
}

TEST(SessionThreads, shared_scratch_is_private_to_a_worker)
{
  const auto opened = open(k_meet + "*(long*)(C + 2 * on_worker) = (long)group->shared;", 2, 256);
  ASSERT_TRUE(opened->session->run_block(k_only_set));
  long addresses[2];
  std::memcpy(addresses, outputs(*opened), sizeof addresses);
  EXPECT_EQ(addresses[0] % 64, 0);
  EXPECT_EQ(addresses[1] % 64, 0);
  EXPECT_GE(std::abs(addresses[0] - addresses[1]), 256);
}

TEST(SessionThreads, launches_and_fills_wait_for_the_one_before)
{
  // The first launch adds to what was filled in, slowly; the second reads what groups at the other end wrote.
  const auto opened = open("const long i = group->id[0];"
                           "if (n == 1) { C[32 + i] = C[31 - i]; return; }"
                           "for (int wait = 0; wait < 20000; ++wait) asm volatile(\"\");"
                           "C[i] += (float)i;",
                           32);
  kernel::ResolvedPlan plan = opened->plan;
  plan.launches.front().fills = {{{kernel::ResolvedArgument::Kind::tensor, k_c, 0}, 3}};
  kernel::ResolvedLaunch second = plan.launches.front();
  second.fills.clear();
  second.args.back().integer = 1;
  plan.launches.push_back(second);
  backend::Module module = opened->module;
  module.entries.push_back(0);
  module.entry_names.emplace_back("kernel");
  SessionSpec spec = test::session_spec(module, plan);
  spec.cpus = two_cpus();
  auto session = RunnerSession::open(spec, opened->arena);
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_only_set));
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(outputs(*opened)[32 + i], 3 + 31 - i) << i;
  }
}

TEST(SessionThreads, groups_one_by_one_stay_on_the_main_thread)
{
  const auto opened = open("C[group->id[0]] = (float)(++*(long*)&C[50]);", 40);
  ASSERT_TRUE(opened->session->run_groups(0, 0, 0, 40, true, false));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(outputs(*opened)[i], 40 - i);
  }
}

TEST(SessionThreads, the_end_of_one_worker_is_named_as_ever)
{
  const auto expect = [](const std::string& body, record::Status status, const std::string& reason) {
    const SessionEnd end = end_on_worker(body);
    EXPECT_EQ(record::name_of(end.status), record::name_of(status)) << body << ": " << end.reason;
    EXPECT_THAT(end.reason, HasSubstr(reason)) << body;
  };
  expect("*(volatile int*)16 = 1;", record::Status::runtime, "killed by SIGSEGV writing to address 0x10");
  expect("const_cast<float*>(A)[5] = 1;", record::Status::rejected, "writing to input: element 5 of A");
  expect("asm volatile(\"ud2\");", record::Status::runtime, "killed by SIGILL");
  expect(
    "struct R { static long f(long d) { volatile char x[4096]; x[d & 1] = 1; return d == 0 ? 0 : f(d + 1) + x[0]; } "
    "}; C[0] = (float)R::f(1);",
    record::Status::runtime, "ran out of stack");
  expect("system_call(56);", record::Status::rejected, "blocked system call clone");
  expect("system_call(1, 1, (long)A, 5);", record::Status::rejected, "blocked system call write");
  expect("system_call(203, 0, 8, (long)A);", record::Status::rejected, "blocked system call sched_setaffinity");
  expect("system_call(231, 4);", record::Status::runtime, "exited with status 4");
  expect("system_call(60, 3);", record::Status::runtime, "exited with status 3");
  expect("system_call(14, 0); system_call(234, 1, 1, 6);", record::Status::runtime, "called abort()");
}

TEST(SessionThreads, a_worker_that_loops_is_a_timeout)
{
  const auto opened = open(k_meet + "if (on_worker) for (;;) asm volatile(\"\");", 2);
  SessionSpec spec = test::session_spec(opened->module, opened->plan);
  spec.cpus = two_cpus();
  spec.call_deadline = std::chrono::milliseconds(300);
  auto session = RunnerSession::open(spec, opened->arena);
  ASSERT_TRUE(session && *session);
  const auto done = (*session)->run_block(k_only_set);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, record::Status::timeout);
}

TEST(SessionThreads, a_worker_that_goes_on_after_the_answer_is_seen)
{
  const auto opened =
    open(k_meet + "if (on_worker) {" + test::with_control_areas("answer(); for (;;) asm volatile(\"\");") + "}", 2);
  ASSERT_TRUE(opened->session->run_block(k_only_set));
  for (int i = 0; i < 1000 && opened->session->late_cpu_s() < 1e-3; ++i) {
    usleep(5000);
  }
  EXPECT_GE(opened->session->late_cpu_s(), 1e-3);
}

TEST(SessionThreads, workers_sleep_between_blocks)
{
  const auto opened = open(k_meet + "C[group->id[0]] = 1;", 2);
  ASSERT_TRUE(opened->session->run_block(k_only_set));
  const double before = opened->session->late_cpu_s();
  usleep(100'000);
  EXPECT_LT(opened->session->late_cpu_s() - before, 1e-3); // of two spinning workers: 0.2 s, or what they get of a CPU
}

} // namespace
} // namespace hone::gate
