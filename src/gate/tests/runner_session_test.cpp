#include "backend/runner_abi.h"
#include "gate/runner_session.h"
#include "session_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone::gate {
namespace {

using test::image_of;
using test::k_c;
using test::k_good_body;
using testing::HasSubstr;

constexpr std::int64_t k_lane_extent = 1000;
constexpr std::uint32_t k_first_set[] = {0};

// One call of a body on one set; the way it ended, or nothing when it returned.
std::optional<SessionEnd> end_of(const std::string& body, bool flush_to_guard = true,
                                 std::chrono::milliseconds deadline = std::chrono::seconds(10))
{
  const backend::Module module = image_of(body);
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  Arena arena = test::arena_for(k_lane_extent, 1, flush_to_guard);
  SessionSpec spec = test::session_spec(module, plan);
  spec.call_deadline = deadline;
  auto session = RunnerSession::open(spec, arena);
  EXPECT_TRUE(session) << session.error().text();
  if (!session || !*session) {
    return session ? std::optional((*session).error()) : std::nullopt;
  }
  const auto timing = (*session)->run_block(k_first_set);
  return timing ? std::nullopt : std::optional(timing.error());
}

void expect_end(const std::string& body, record::Status status, const std::string& reason)
{
  const auto end = end_of(body);
  ASSERT_TRUE(end) << body;
  EXPECT_EQ(record::name_of(end->status), record::name_of(status)) << body << ": " << end->reason;
  EXPECT_THAT(end->reason, HasSubstr(reason)) << body;
}

TEST(RunnerSession, calls_compute_into_every_set_of_a_block)
{
  const backend::Module module = image_of(k_good_body);
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  Arena arena = test::arena_for(k_lane_extent, 3);
  Random random(1);
  for (std::size_t set = 0; set < 3; ++set) {
    test::fill_inputs(arena, set, set);
    arena.poison(set, random);
  }
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  ASSERT_TRUE(session && *session);
  const std::uint32_t sets[] = {2, 0};
  const auto timing = (*session)->run_block(sets);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_TRUE(test::output_is_right(arena, 0));
  EXPECT_FALSE(test::output_is_right(arena, 1));
  EXPECT_TRUE(test::output_is_right(arena, 2));
  EXPECT_GT(timing->wall_s, 0);
  EXPECT_LE(timing->stamps_s, timing->wall_s);
  EXPECT_EQ(arena.damaged_guard(0), "");
}

TEST(RunnerSession, two_arms_share_memory_and_run_from_one_place)
{
  const backend::Module module = image_of(k_good_body);
  const backend::Module other = image_of("for (long i = n - 1; i >= 0; --i) C[i] = A[i] + B[i] + A[i];");
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  Arena arena = test::arena_for(k_lane_extent, 1);
  Random random(1);
  test::fill_inputs(arena, 0, 1);
  SessionSpec a = test::session_spec(module, plan);
  SessionSpec b = test::session_spec(other, plan);
  b.code_offset = 192;
  const auto pages = make_code_pages(192 + std::max(module.image.size(), other.image.size()));
  ASSERT_TRUE(pages);
  a.code = b.code = *pages;
  auto session_a = RunnerSession::open(a, arena);
  auto session_b = RunnerSession::open(b, arena);
  ASSERT_TRUE(session_a && *session_a && session_b && *session_b);
  for (RunnerSession* session : {&**session_a, &**session_b, &**session_a, &**session_a}) {
    arena.poison(0, random);
    ASSERT_TRUE(session->run_block(k_first_set));
    EXPECT_TRUE(test::output_is_right(arena, 0));
  }
}

// Which of a block's calls found something in a vector register, by the seed of what registers hold.
std::vector<bool> calls_with_full_registers(std::uint32_t seed)
{
  const backend::Module module =
    image_of("long bits; asm volatile(\"movq %%xmm9, %0\" : \"=r\"(bits)); *(long*)C = bits;");
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  std::vector<std::uint32_t> sets(64);
  std::iota(sets.begin(), sets.end(), 0U);
  Arena arena = test::arena_for(k_lane_extent, sets.size());
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  EXPECT_TRUE(session && *session);
  CallerState caller;
  caller.registers_seed = seed;
  EXPECT_TRUE((*session)->run_block(sets, caller));
  std::vector<bool> full;
  for (const std::uint32_t set : sets) {
    full.push_back(*reinterpret_cast<const std::uint64_t*>(arena.tensor(set, k_c).data()) != 0);
  }
  return full;
}

TEST(RunnerSession, calls_of_a_block_find_registers_empty_or_full_alike_for_one_seed)
{
  const std::vector<bool> first = calls_with_full_registers(7), again = calls_with_full_registers(7);
  EXPECT_GT(std::ranges::count(first, true), 30);
  EXPECT_GT(std::ranges::count(first, false), 3);
  int differ = 0; // a number that was left may be zero, once in thousands
  for (std::size_t i = 0; i < first.size(); ++i) {
    differ += first[i] != again[i] ? 1 : 0;
  }
  EXPECT_LE(differ, 4);
}

TEST(CodeSlot, only_the_loaded_image_is_there)
{
  const auto pages = make_code_pages(1000);
  ASSERT_TRUE(pages);
  auto first = CodeSlot::share(*pages, std::string(500, 'a'), 0);
  auto second = CodeSlot::share(*pages, std::string(100, 'b'), 64);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->fd(), second->fd());
  const auto count = [&](char c) { return std::ranges::count(first->bytes(), static_cast<std::byte>(c)); };
  first->load();
  EXPECT_EQ(count('a'), 500);
  EXPECT_EQ(count('\xcc'), static_cast<long>(first->size()) - 500);
  second->load();
  EXPECT_EQ(count('a'), 0);
  EXPECT_EQ(count('b'), 100);
  EXPECT_EQ(count('\xcc'), static_cast<long>(first->size()) - 100);
  EXPECT_FALSE(CodeSlot::share(*pages, std::string(first->size(), 'c'), 64));
}

TEST(RunnerSession, groups_run_alone_and_in_either_order)
{
  const backend::Module module = image_of("C[group->id[0]] = (float)(++*(long*)&C[500]);");
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent, 100);
  Arena arena = test::arena_for(k_lane_extent, 1);
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->supports_groups());
  auto* values = reinterpret_cast<float*>(arena.tensor(0, k_c).data());
  std::fill_n(values, k_lane_extent, 0.0F);
  ASSERT_TRUE((*session)->run_groups(0, 0, 10, 3, true, false));
  EXPECT_EQ(values[12], 1);
  EXPECT_EQ(values[11], 2);
  EXPECT_EQ(values[10], 3);
  EXPECT_EQ(values[13], 0);
  EXPECT_EQ(values[9], 0);
}

TEST(RunnerSession, fills_come_before_their_launch)
{
  const backend::Module module = image_of("C[0] += 1;");
  kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  plan.launches[0].fills = {{{kernel::ResolvedArgument::Kind::tensor, k_c, 0}, 3}};
  Arena arena = test::arena_for(k_lane_extent, 1);
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_first_set));
  const auto* values = reinterpret_cast<const float*>(arena.tensor(0, k_c).data());
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[k_lane_extent - 1], 3);
}

TEST(RunnerSession, many_arguments_arrive)
{
  const backend::Module module = image_of("float* C, long a, long b, long c, long d, long e, long f, long g",
                                          "C[0] = (float)(a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + "
                                          "1000000 * g);");
  kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  plan.launches[0].args = {{kernel::ResolvedArgument::Kind::tensor, k_c, 0}};
  for (std::int64_t i = 1; i <= 7; ++i) {
    plan.launches[0].args.push_back({kernel::ResolvedArgument::Kind::integer, 0, i});
  }
  Arena arena = test::arena_for(k_lane_extent, 1);
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  ASSERT_TRUE(session && *session);
  const auto timing = (*session)->run_block(k_first_set);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_EQ(*reinterpret_cast<const float*>(arena.tensor(0, k_c).data()), 7654321);
}

TEST(SessionEnds, writing_past_the_end_is_rejected)
{
  // 1000 floats are 62.5 lines: 32 bytes of canary lie before the guard page.
  expect_end("C[n + 8] = 1;", record::Status::rejected, "killed by SIGSEGV writing 36 bytes past the end of C, set 0");
}

TEST(SessionEnds, writing_one_element_past_the_end_damages_the_canary)
{
  const backend::Module module = image_of(k_good_body + "C[n] = 0;");
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  for (const bool flush : {false, true}) {
    Arena arena = test::arena_for(k_lane_extent, 1, flush);
    Random random(4);
    arena.poison(0, random);
    auto session = RunnerSession::open(test::session_spec(module, plan), arena);
    ASSERT_TRUE(session && *session);
    ASSERT_TRUE((*session)->run_block(k_first_set));
    EXPECT_EQ(arena.damaged_guard(0), "4 bytes past the end of C, set 0");
  }
}

TEST(SessionEnds, writing_to_an_input_is_rejected)
{
  expect_end("const_cast<float*>(A)[5] = 1;", record::Status::rejected, "writing to input: element 5 of A");
}

TEST(SessionEnds, reading_past_the_end_is_a_crash)
{
  expect_end("C[0] = B[n + 8];", record::Status::runtime,
             "killed by SIGSEGV reading 36 bytes past the end of B, set 0");
}

TEST(SessionEnds, crashes_are_named)
{
  expect_end("*(volatile int*)16 = 1;", record::Status::runtime, "killed by SIGSEGV writing to address 0x10");
  expect_end("asm volatile(\"ud2\");", record::Status::runtime, "killed by SIGILL");
  expect_end("C[0] = (float)(n / *(volatile long*)&group->id[0]);", record::Status::runtime, "killed by SIGFPE");
  expect_end("((void (*)())64)();", record::Status::runtime, "jumping to 0x40");
  expect_end(
    "struct R { static long f(long d) { volatile char x[4096]; x[d & 1] = 1; return d == 0 ? 0 : f(d + 1) + x[0]; } };"
    "C[0] = (float)R::f(1);",
    record::Status::runtime, "ran out of stack");
}

TEST(SessionEnds, system_calls_are_rejected_by_name)
{
  const auto call = [](long number, const char* arguments = "") {
    return "system_call(" + std::to_string(number) + arguments + ");";
  };
  expect_end(call(SYS_fork), record::Status::rejected, "blocked system call fork");
  expect_end(call(SYS_clone), record::Status::rejected, "blocked system call clone");
  expect_end(call(SYS_socket, ", 2, 1"), record::Status::rejected, "blocked system call socket");
  expect_end(call(SYS_write, ", 1, (long)A, 5"), record::Status::rejected, "blocked system call write");
  expect_end(call(SYS_mmap, ", 0, 4096, 3, 34"), record::Status::rejected, "blocked system call mmap");
  expect_end(call(SYS_kill, ", 1, 9"), record::Status::rejected, "blocked system call kill");
  expect_end(call(SYS_execve, ", (long)A"), record::Status::rejected, "blocked system call execve");
  expect_end("asm volatile(\"int $0x80\" : : \"a\"(1));", record::Status::rejected, "blocked system call");
}

// Whatever its number: those of this kernel, of later ones, and of the x32 ABI.
TEST(SessionEnds, all_system_calls_but_four_end_the_runner)
{
  const backend::Module module = image_of("const float* A, const float* B, float* C, long number",
                                          "system_call(number, (long)A, (long)B, (long)C);");
  constexpr std::int64_t k_x32 = 0x40000000;
  std::vector<std::int64_t> numbers{k_x32 + SYS_write, k_x32 + SYS_futex, -1, 1 << 20};
  for (std::int64_t number = 0; number < 600; ++number) {
    numbers.push_back(number);
  }
  // Those that are allowed, of which exit_group ends it in its way; exit ends it like that; sigprocmask is pretended;
  // and the kernel asks no filter about uretprobe and uprobe, which do nothing but where it put a probe.
  constexpr std::int64_t k_uretprobe = 335, k_uprobe = 336;
  const std::set<std::int64_t> others{SYS_futex, SYS_clock_gettime,  SYS_rt_sigreturn, SYS_exit_group,
                                      SYS_exit,  SYS_rt_sigprocmask, k_uretprobe,      k_uprobe};
  Arena arena = test::arena_for(k_lane_extent, 1);
  for (const std::int64_t number : numbers) {
    if (others.contains(number)) {
      continue;
    }
    const kernel::ResolvedPlan plan = [&] {
      kernel::ResolvedPlan made = test::plan_of(k_lane_extent);
      made.launches[0].args.back() = {kernel::ResolvedArgument::Kind::integer, 0, number};
      return made;
    }();
    auto session = RunnerSession::open(test::session_spec(module, plan), arena);
    ASSERT_TRUE(session && *session);
    const auto timing = (*session)->run_block(k_first_set);
    ASSERT_FALSE(timing) << "system call " << number;
    EXPECT_EQ(timing.error().status, record::Status::rejected)
      << "system call " << number << ": " << timing.error().reason;
    EXPECT_THAT(timing.error().reason, HasSubstr("blocked system call"));
  }
}

TEST(SessionEnds, leaving_is_a_crash)
{
  expect_end("system_call(231, 0);", record::Status::runtime, "exited with status 0");
  expect_end("system_call(60, 3);", record::Status::runtime, "exited with status 3");
  expect_end("system_call(14, 0); system_call(234, 1, 1, 6);", record::Status::runtime, "called abort()");
}

TEST(SessionEnds, a_loop_without_end_is_a_timeout)
{
  const auto end = end_of("for (;;) asm volatile(\"\");", true, std::chrono::milliseconds(100));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::timeout);
  const auto asleep =
    end_of("for (int word = 0;;) system_call(202, (long)&word, 0, 0);", true, std::chrono::milliseconds(100));
  ASSERT_TRUE(asleep);
  EXPECT_EQ(asleep->status, record::Status::timeout);
}

TEST(SessionEnds, scribbling_over_the_reply_misleads_nobody)
{
  const std::string scribble = "for (int i = 0; i < 16384; ++i) reply[i] = 0xff;";
  expect_end(test::with_control_areas(scribble + "for (;;) asm volatile(\"\");"), record::Status::rejected,
             "reported its own end");
  expect_end(test::with_control_areas(scribble + "system_call(231, 0);"), record::Status::runtime,
             "exited with status 0");
  expect_end(test::with_control_areas(scribble + "asm volatile(\"ud2\");"), record::Status::runtime,
             "killed by SIGILL");
  // Claims to have been refused by a compiler, with a log of 4 GiB: believed only as far as it goes.
  const auto refused = end_of(test::with_control_areas(scribble
                                                       + "*(unsigned*)(reply + 4) = 2; *(unsigned*)(reply + 8) = 1;"
                                                         "system_call(231, 101);"));
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->status, record::Status::correct);
  EXPECT_LE(refused->log.size(), backend::runner::k_reply_text_bytes);
}

TEST(SessionEnds, the_job_cannot_be_changed)
{
  expect_end(test::with_control_areas("job[0] = 1;"), record::Status::runtime, "killed by SIGSEGV writing to address");
}

TEST(RunnerSession, work_after_the_answer_is_seen)
{
  const backend::Module module = image_of(test::with_control_areas("answer(); for (;;) asm volatile(\"\");"));
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  Arena arena = test::arena_for(k_lane_extent, 1);
  SessionSpec spec = test::session_spec(module, plan);
  spec.call_deadline = std::chrono::milliseconds(100);
  auto session = RunnerSession::open(spec, arena);
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_first_set));
  for (int i = 0; i < 1000 && (*session)->late_cpu_s() < 1e-3; ++i) {
    usleep(5000);
  }
  EXPECT_GE((*session)->late_cpu_s(), 1e-3);
  const auto next = (*session)->run_block(k_first_set);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().status, record::Status::timeout);
}

TEST(SessionEnds, a_finished_session_stays_finished)
{
  const backend::Module module = image_of("asm volatile(\"ud2\");");
  const kernel::ResolvedPlan plan = test::plan_of(k_lane_extent);
  Arena arena = test::arena_for(k_lane_extent, 1);
  auto session = RunnerSession::open(test::session_spec(module, plan), arena);
  ASSERT_TRUE(session && *session);
  const auto first = (*session)->run_block(k_first_set);
  const auto second = (*session)->run_groups(0, 0, 0, 1, false, false);
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().reason, second.error().reason);
}

} // namespace
} // namespace hone::gate
