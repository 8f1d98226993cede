#include "backend/cpu/watch/inspector/launch_execution.h"

#include "backend/cpu/watch/guarded_variables.h"
#include "backend/cpu/watch/inspector/inspector_state.h"
#include "backend/cpu/watch/livelock.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace hone::backend::cpu {

namespace {

// By fiber, at another place in each launch. Not on the stack: that belongs to the candidate.
std::array<GroupDescription, 16 * Fibers::k_max> g_descriptions{};

// At least so many groups are watched, if there are as many, even if none of them to its end.
constexpr std::size_t k_min_groups = 4;
constexpr std::size_t k_group_cost = 16; // accesses: cost of starting a group, and of comparing buffers after it
constexpr std::size_t k_line = 64;
constexpr std::uint64_t k_max_lines_between = 1024; // between the stack tops of two launches
constexpr long k_longest_run_us = 5000;             // of a fiber
constexpr std::int64_t k_switches_per_check = 64;   // of the clock, a system call

double cpu_seconds()
{
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

void apply_fills(const ListedLaunch& launch, WatchedMemory& memory)
{
  for (const ListedFill& fill : launch.fills) {
    memory.fill(static_cast<std::size_t>(fill.buffer), fill.pattern, static_cast<std::size_t>(fill.element_bytes));
  }
}

LaunchExecution::LaunchExecution(const ListedLaunch& launch, std::size_t number, void* entry, WatchedMemory& memory,
                                 std::uint64_t seed, bool covers_call)
  : m_launch(launch), m_entry(entry), m_memory(memory), m_covers_call(covers_call), m_order(launch.groups, seed),
    m_random(seed + number), m_first_description(m_random.below(g_descriptions.size())), m_interleaving(m_random)
{
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ListedArgument& argument = launch.arguments[i];
    const auto value = static_cast<std::uint64_t>(argument.value);
    m_values[i] = argument.buffer ? reinterpret_cast<std::uint64_t>(memory.bytes_of(value).data()) : value;
  }
  memory.begin_launch(launch.kernel, launch.reduced);
  memory.make_shared(static_cast<std::size_t>(launch.shared_bytes));
}

std::int64_t LaunchExecution::run(std::size_t max_accesses, bool may_skip_rest)
{
  m_memory.limit_group(max_accesses / std::min(k_min_groups, static_cast<std::size_t>(groups_of(m_launch))));
  if (!m_launch.reduced.empty() && m_memory.instrumentation() != Instrumentation::address_sanitizer) {
    run_interleaved(max_accesses);
  }
  // Groups are called from frames below this one, elsewhere in each launch: stack contents of an earlier launch are not
  // theirs.
  m_stack_top = __builtin_alloca(k_line * (1 + m_random.below(k_max_lines_between)));
  limit_to_stack(m_stack_top, 0);
  while (const auto group = m_order.take_next()) {
    if (is_spent(max_accesses)) {
      m_memory.stop_watching();
      if (!may_skip_rest) {
        run_unwatched(*group);
      }
      break;
    }
    run_watched(*group);
  }
  m_memory.end_launch();
  return m_watched;
}

std::vector<std::size_t> LaunchExecution::count_accesses(GroupRegisters registers, std::size_t max_accesses)
{
  std::vector<std::size_t> counts;
  m_memory.limit_group(0);
  limit_to_stack(Fibers::stack_end(0), 0); // nothing else runs on that stack
  g_inspector.keeps_stack = registers == GroupRegisters::preserved;
  const std::int64_t groups = groups_of(m_launch);
  const auto first = static_cast<std::int64_t>(m_random.below(static_cast<std::uint64_t>(groups)));
  for (std::int64_t i = 0; i < groups && m_memory.accesses() < max_accesses; ++i) {
    const std::size_t before = m_memory.accesses();
    prepare_group(0, (first + i) % groups);
    if (registers == GroupRegisters::randomized) {
      Fibers::overwrite_stack(0, static_cast<int>(m_random.below(256)));
    }
    m_fibers.start(0, [&] { call_group(entry_with_registers(m_entry, registers, m_random)); });
    run_with_recording([&] { m_fibers.resume(0); });
    end_group();
    counts.push_back(m_memory.accesses() - before);
  }
  g_inspector.keeps_stack = false;
  m_memory.end_launch();
  return counts;
}

void LaunchExecution::yield_if_drawn()
{
  if (m_interleaved && (g_inspector.is_yield_due || m_interleaving.draw_yield())) {
    g_inspector.is_yield_due = false;
    m_fibers.yield();
  }
}

void LaunchExecution::leave_group_if_guarded()
{
  if (m_memory.instrumentation() == Instrumentation::address_sanitizer) {
    guarded_variables().clear(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                              reinterpret_cast<std::uintptr_t>(m_stack_top));
    longjmp(m_before_group, 1);
  }
}

bool LaunchExecution::is_spent(std::size_t max_accesses) const
{
  return max_accesses > 0 && m_memory.accesses() + k_group_cost * static_cast<std::size_t>(m_watched) >= max_accesses;
}

GroupDescription& LaunchExecution::group_in(std::size_t fiber)
{
  return g_descriptions[(m_first_description + fiber) % g_descriptions.size()];
}

void LaunchExecution::limit_to_stack(const void* stack_end, std::size_t fiber)
{
  OwnMemory own(m_entry, stack_end);
  own.allow_reading(&group_in(fiber), sizeof(GroupDescription));
  m_memory.set_own_memory(std::move(own));
}

// All groups, or as many as the accesses allow: groups that have started run to their ends.
void LaunchExecution::run_interleaved(std::size_t max_accesses)
{
  static_assert(Fibers::k_max == WatchedMemory::k_max_groups);
  for (std::size_t fiber = 0; fiber < Fibers::k_max; ++fiber) {
    m_memory.switch_to(fiber);
    limit_to_stack(Fibers::stack_end(fiber), fiber);
  }
  m_interleaved = true;
  set_yield_timer(k_longest_run_us);
  LivelockDetector livelock;
  std::int64_t started = 0, switches = 0;
  while (const auto fiber = choose_fiber(max_accesses)) {
    resume(*fiber);
    if (m_watched != started || !m_fibers.is_active(*fiber)) {
      livelock = {};
    } else if (m_covers_call && ++switches % k_switches_per_check == 0
               && livelock.observe(cpu_seconds(), [this] { return m_memory.digest_of_reduced(); })) {
      m_memory.report_livelock();
      exit_with_findings();
    }
    started = m_watched;
  }
  set_yield_timer(0);
  m_interleaved = false;
  m_memory.switch_to(0);
}

// An active fiber, or one in which a new group was started; nothing after the last group.
std::optional<std::size_t> LaunchExecution::choose_fiber(std::size_t max_accesses)
{
  Interleaving::ActiveFibers active;
  for (std::size_t fiber = 0; fiber < Fibers::k_max; ++fiber) {
    active[fiber] = m_fibers.is_active(fiber);
  }
  const auto fiber = m_interleaving.choose_next(active, m_watched < groups_of(m_launch) && !is_spent(max_accesses));
  if (fiber && !active[*fiber]) {
    start_group(*fiber, *m_order.take_next());
  }
  return fiber;
}

void LaunchExecution::start_group(std::size_t fiber, std::int64_t group)
{
  m_memory.switch_to(fiber);
  prepare_group(fiber, group);
  m_fibers.start(fiber, [this, fiber] { call_group_function(m_entry, group_in(fiber), m_values); });
  ++m_watched;
}

void LaunchExecution::resume(std::size_t fiber)
{
  m_memory.switch_to(fiber);
  run_with_recording([&] { m_fibers.resume(fiber); });
  if (!m_fibers.is_active(fiber)) {
    end_group();
  }
}

void LaunchExecution::prepare_group(std::size_t fiber, std::int64_t group)
{
  group_in(fiber) = description_of(m_launch, group, m_memory.shared().data());
  m_memory.begin_group(group);
}

template <class Run> void LaunchExecution::run_with_recording(Run run)
{
  g_inspector.watched = &m_memory;
  g_inspector.is_group_running = true;
  set_callback_mode(m_memory.is_limit_reached() ? mode_after_limit() : CallbackMode::all);
  run();
  set_callback_mode(CallbackMode::off);
  g_inspector.is_group_running = false;
  g_inspector.watched = nullptr;
}

void LaunchExecution::end_group()
{
  g_inspector.is_recording = true;
  m_memory.end_group();
  g_inspector.is_recording = false;
}

[[gnu::noinline]] void LaunchExecution::run_watched(std::int64_t group)
{
  prepare_group(0, group);
  run_with_recording([this] {
    if (setjmp(m_before_group) == 0) {
      call_group(m_entry);
    }
  });
  end_group();
  ++m_watched;
}

// A group and all that remain.
[[gnu::noinline]] void LaunchExecution::run_unwatched(std::int64_t group)
{
  g_inspector.is_group_running = true;
  for (std::optional next(group); next; next = m_order.take_next_of_rest()) {
    prepare_group(0, *next);
    call_group(m_entry);
  }
  g_inspector.is_group_running = false;
}

void LaunchExecution::call_group(void* entry)
{
  call_group_function(entry, group_in(0), m_values);
}

} // namespace hone::backend::cpu
