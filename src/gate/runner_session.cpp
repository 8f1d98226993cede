#include "gate/runner_session.h"

#include "gate/device_session.h"
#include "gate/isolation.h"
#include "gate/session_end.h"
#include "gate/session_job.h"
#include "gate/session_process.h"
#include "gate/session_threads.h"

#include <climits>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace hone::gate {
namespace {

using Clock = backend::RunnerLink::Clock;
using std::chrono::milliseconds;

constexpr milliseconds k_load_deadline{60'000}; // drivers and libraries take their time on a loaded machine
constexpr milliseconds k_death_deadline{500};   // from the last word of a dying runner to its end
// A runner that dies without a word is noticed after this long: seldom enough not to disturb a measurement.
constexpr milliseconds k_look_after{20};
constexpr milliseconds k_look_again{1};        // where a deadline is near, or over
constexpr int k_patience_on_busy_machines = 4; // times a deadline
constexpr std::size_t k_calls_with_own_deadline = 4;
constexpr std::chrono::microseconds k_between_groups{50}; // memory and registers scrambled, on a loaded machine
constexpr milliseconds k_rest_deadline{100};              // for workers to go to sleep; longer is no accident
constexpr milliseconds k_memory_deadline{30'000};         // for copies to and from a device
constexpr double k_waking_s = 200e-6;                     // a pool that sleeps is awake after 30 to 45 us

double seconds_between(Clock::time_point from, Clock::time_point to)
{
  return std::chrono::duration<double>(to - from).count();
}

std::uint32_t load(const std::uint32_t& word)
{
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

} // namespace

// Wide because the commands of a session share its process, its arena and its clock.
struct RunnerSession::Impl {
  const ArenaLayout* layout = nullptr; // of the arena, which outlives the session
  CodeSlot slot;
  SessionJob job;
  SharedMemory reply_memory;
  std::unique_ptr<backend::RunnerLink> link;
  std::optional<DeviceCopies> copies; // where memory is the device's own
  milliseconds call_deadline{0};
  milliseconds first_call{0}; // more, for the first block of a job
  std::stop_token stop;
  bool cancels = false, device_clock = false;
  bool groups = false;
  bool library = false;
  int jobs = 1;
  bool rebinding = false; // the job is another one, which the runner has not been told yet
  std::vector<int> cpus;
  std::string_view program;
  std::uint32_t sets = 0;
  double cpu_at_answer = 0;
  std::optional<RunnerThreads> threads; // where there are several
  double restless_s = 0;                // of them, after the last answer
  std::optional<SessionEnd> end;

  backend::runner::Reply& reply() const { return *reinterpret_cast<backend::runner::Reply*>(reply_memory.data()); }
  backend::runner::Job& head() const { return job.head(); }

  // The other arm may have run from these pages since.
  void load_code()
  {
    if (groups) {
      slot.load();
    }
  }

  void enter(const CallerState& caller) const
  {
    if (backend::runner::cpu::Extension* const area = job.cpu()) {
      area->flushes = std::to_underlying(caller.flushes);
      area->other_stack = caller.other_stack ? 1 : 0;
      area->keeps_registers = caller.keeps_registers ? 1 : 0;
      area->registers_seed = caller.registers_seed;
    }
  }

  // Before a block, off the clock: workers wake up. A library has its own ways of waiting, most of them busy; it is
  // stopped between its blocks instead.
  SessionResult<void> wake_threads()
  {
    if (!threads || end) {
      return {};
    }
    if (!library) {
      return give(backend::runner::Command::stand_by, call_deadline);
    }
    link->stop(false);
    threads->wait_until_stopped(false, k_rest_deadline);
    return {};
  }

  void await_rest()
  {
    if (threads && library) {
      link->stop(true);
      threads->wait_until_stopped(true, k_rest_deadline);
    } else if (threads) {
      restless_s = threads->wait_for_rest(k_rest_deadline);
    }
    cpu_at_answer = link->cpu_seconds();
  }

  // The process's clock counts all threads, so what each of them got is asked for. Our workers never sleep in a block;
  // a library's main thread may, while others work for it.
  void enter_shares(BlockTiming& timing, const ThreadTimes& before) const
  {
    const ThreadTimes after = threads->times();
    timing.child_cpu_s =
      library ? timing.wall_s - (after.main_waited_s - before.main_waited_s) : after.main_cpu_s - before.main_cpu_s;
    timing.waited_s = after.others_waited_s - before.others_waited_s;
  }

  SessionResult<void> give(backend::runner::Command command, Clock::duration patience)
  {
    if (end) {
      return std::unexpected(*end);
    }
    head().command = command;
    const std::uint32_t sequence = head().command_sequence + 1;
    __atomic_store_n(&head().command_sequence, sequence, __ATOMIC_RELEASE);
    link->wake();
    return await(sequence, patience);
  }

  // A busy machine is not held against a runner, within reason: what it waited for CPUs since it began does not count.
  bool is_over(Clock::time_point begin, Clock::duration patience) const
  {
    const Clock::duration passed = link->now() - begin;
    if (passed < patience || passed >= k_patience_on_busy_machines * patience) {
      return passed >= patience;
    }
    return passed - std::chrono::duration<double>(link->waited_seconds()) >= patience;
  }

  // Everything read here may be lies. Whatever they are, this returns in time.
  SessionResult<void> await(std::uint32_t sequence, Clock::duration patience)
  {
    const Clock::time_point begin = link->now();
    for (;;) {
      const std::uint32_t seen = load(reply().sequence);
      if (seen == sequence) {
        return {};
      }
      if (is_over(begin, patience)) {
        link->kill();
        const double waited = std::chrono::duration<double>(patience).count();
        return finish({record::Status::timeout, fmt::format("no answer after {:.3g} s", waited), {}});
      }
      if (reply().state != backend::runner::State::ready && reply().state != backend::runner::State::starting) {
        return finish_dying();
      }
      if (cancels && stop.stop_requested()) {
        cancel();
      }
      link->wait(seen, std::clamp<Clock::duration>(begin + patience - link->now(), k_look_again, k_look_after));
      if (load(reply().sequence) == seen && link->ended(milliseconds(0))) {
        return finish_dying();
      }
    }
  }

  void cancel() const
  {
    if (cancels && head().command == backend::runner::Command::run_block) {
      __atomic_store_n(&head().cancelled_sequence, head().command_sequence, __ATOMIC_RELEASE);
    }
  }

  // Requests of any number; `results`: one for each.
  SessionResult<void> send_requests(std::span<const backend::runner::MemoryRequest> requests,
                                    std::vector<std::uint64_t>& results)
  {
    for (std::size_t first = 0; first < requests.size(); first += backend::runner::k_most_memory_requests) {
      const auto batch = requests.subspan(
        first, std::min<std::size_t>(requests.size() - first, backend::runner::k_most_memory_requests));
      std::ranges::copy(batch, job.memory_requests().begin());
      head().memory_request_count = static_cast<std::uint32_t>(batch.size());
      if (const SessionResult<void> done = give(backend::runner::Command::memory, k_memory_deadline); !done) {
        return done;
      }
      results.insert(results.end(), reply().memory_results, reply().memory_results + batch.size());
    }
    return {};
  }

  SessionResult<void> bring_to_device(std::span<const std::uint32_t> block)
  {
    const std::vector<backend::runner::MemoryRequest> requests = copies->requests_before(block);
    std::vector<std::uint64_t> results;
    if (const SessionResult<void> done = send_requests(requests, results); !done) {
      return done;
    }
    copies->record_digests(requests, results);
    return {};
  }

  SessionResult<void> bring_back(std::span<const std::uint32_t> block)
  {
    const std::vector<backend::runner::MemoryRequest> requests = copies->requests_after(block);
    std::vector<std::uint64_t> results;
    if (const SessionResult<void> done = send_requests(requests, results); !done) {
      return done;
    }
    cpu_at_answer = link->cpu_seconds(); // copying is none of the candidate's doing
    if (std::optional<std::string> trouble = copies->check_results(requests, results)) {
      return give_up({record::Status::rejected, std::move(*trouble), {}});
    }
    return {};
  }

  // What the device says about a block cannot be more than has passed.
  SessionResult<void> enter_device_time(BlockTiming& timing)
  {
    timing.device_s = 1e-9 * static_cast<double>(reply().device_ns);
    if (timing.device_s > 0 && timing.device_s <= timing.wall_s) {
      return {};
    }
    return give_up({record::Status::rejected,
                    fmt::format("impossible: the device's clock says {:.3g} s of calls for which {:.3g} s passed",
                                timing.device_s, timing.wall_s),
                    {}});
  }

  SessionResult<void> give_up(SessionEnd why)
  {
    link->kill();
    return finish(std::move(why));
  }

  SessionResult<void> finish_dying()
  {
    if (!link->ended(k_death_deadline)) {
      link->kill();
      return finish({record::Status::rejected, "reported its own end but went on", {}});
    }
    return finish(describe_end(link->kill(), read_claims(reply()), *layout));
  }

  void describe(const SessionSpec& spec, Arena::Impl& arena);
  void know_copies(const SessionSpec& spec, Arena::Impl& arena);

  SessionResult<void> finish(SessionEnd why)
  {
    end = std::move(why);
    return std::unexpected(*end);
  }
};

Result<SessionResult<RunnerSession>> RunnerSession::open(const SessionSpec& spec, Arena& arena)
{
  HONE_TRY(RunnerSession session, start(spec, arena));
  HONE_TRY(SessionResult<void> loaded, session.finish_loading());
  return loaded ? SessionResult<RunnerSession>(std::move(session))
                : SessionResult<RunnerSession>(std::unexpected(std::move(loaded.error())));
}

Result<SessionResult<RunnerSession>> RunnerSession::open(const SessionSpec& spec, Arena& arena,
                                                         std::optional<RunnerSession> former)
{
  if (former) {
    HONE_TRY(const bool takes_it, former->rebind(spec, arena));
    Result<SessionResult<void>> loaded = takes_it ? former->finish_loading() : fail("another runner is needed");
    if (loaded) { // else a new one may do better
      return *loaded ? SessionResult<RunnerSession>(std::move(*former))
                     : SessionResult<RunnerSession>(std::unexpected(std::move(loaded->error())));
    }
    former.reset(); // two would take twice the memory
  }
  return open(spec, arena);
}

void RunnerSession::Impl::describe(const SessionSpec& spec, Arena::Impl& arena)
{
  layout = &arena.layout;
  call_deadline = spec.call_deadline;
  stop = spec.stop;
  cpus = spec.cpus;
  sets = static_cast<std::uint32_t>(arena.sets);
  library = !spec.library.empty();
  groups = !library && !spec.module->entries.empty();
  const backend::Capabilities can = library ? backend::Capabilities{} : spec.backend->capabilities();
  first_call = can.first_call;
  cancels = can.cancels;
  device_clock = can.clock == backend::DeviceClock::device_events;
}

void RunnerSession::Impl::know_copies(const SessionSpec& spec, Arena::Impl& arena)
{
  copies.reset();
  if (!shares_memory(spec)) {
    copies.emplace(arena, job.places, head().buffer_count, spec.pulls_scratch);
  }
}

Result<RunnerSession> RunnerSession::start(const SessionSpec& spec, Arena& arena)
{
  auto impl = std::make_unique<Impl>();
  impl->describe(spec, arena.impl());
  if (impl->groups) {
    CodePages pages = spec.code;
    if (pages == nullptr) {
      HONE_TRY(pages, make_code_pages(spec.code_offset + spec.module->image.size()));
    }
    HONE_TRY(impl->slot, CodeSlot::share(std::move(pages), spec.module->image, spec.code_offset));
  }
  HONE_TRY(impl->job, write_job(spec, arena.impl(), impl->groups ? &impl->slot : nullptr));
  impl->know_copies(spec, arena.impl());
  impl->head().drop_uid = isolation().uid;
  HONE_TRY(impl->reply_memory, SharedMemory::create("hone-reply", sizeof(backend::runner::Reply)));
  impl->program = impl->library ? "hone-runner-library" : spec.backend->runner_program();
  const backend::RunnerFiles files{impl->job.memory.fd(), impl->reply_memory.fd(), impl->job.mapping_fds, &impl->head(),
                                   &impl->reply()};
  impl->link = impl->library ? nullptr : spec.backend->start_runner(files);
  if (!impl->link) {
    HONE_TRY(impl->link, RunnerProcess::start(libexec_folder() / impl->program, files));
  }
  return RunnerSession(std::move(impl));
}

// Only where nothing of the former job is wrong: a session that has ended has no runner.
Result<bool> RunnerSession::rebind(const SessionSpec& spec, Arena& arena)
{
  Impl& session = *m_impl;
  if (session.end || session.library || session.groups || !spec.library.empty() || !spec.backend->capabilities().rebinds
      || session.program != spec.backend->runner_program() || spec.cpus != session.cpus) {
    return false;
  }
  HONE_TRY(const bool written, rewrite_job(session.job, spec, arena.impl()));
  if (!written) {
    return false;
  }
  session.describe(spec, arena.impl());
  session.know_copies(spec, arena.impl());
  session.rebinding = true;
  ++session.jobs;
  return true;
}

Result<SessionResult<void>> RunnerSession::finish_loading()
{
  Impl& session = *m_impl;
  const SessionResult<void> loaded = std::exchange(session.rebinding, false)
                                       ? session.give(backend::runner::Command::rebind, k_load_deadline)
                                       : session.await(session.head().command_sequence, k_load_deadline);
  if (!loaded) {
    const ReplyClaims claims = read_claims(session.reply());
    if (claims.state == backend::runner::State::refused && claims.refusal == backend::runner::RefusalKind::setup) {
      return fail(fmt::format("{}: {}", session.program, claims.text), "run `hone doctor`");
    }
    return loaded;
  }
  if (session.head().worker_count > 1 && !session.threads) {
    HONE_TRY(session.threads, RunnerThreads::watch(session.link->pid()));
  }
  session.await_rest();
  return SessionResult<void>();
}

RunnerSession::RunnerSession(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunnerSession::RunnerSession(RunnerSession&&) noexcept = default;
RunnerSession& RunnerSession::operator=(RunnerSession&&) noexcept = default;
RunnerSession::~RunnerSession() = default;

SessionResult<BlockTiming> RunnerSession::run_block(std::span<const std::uint32_t> sets, CallerState caller)
{
  Impl& session = *m_impl;
  const std::size_t calls = std::min<std::size_t>(sets.size(), backend::runner::k_most_block_calls);
  std::copy_n(sets.begin(), calls, session.job.set_list().begin());
  session.head().block_calls = static_cast<std::uint32_t>(calls);
  session.enter(caller);
  const auto patience =
    session.call_deadline * static_cast<int>(std::clamp<std::size_t>(calls, 1, k_calls_with_own_deadline))
    + std::exchange(session.first_call, milliseconds{0});

  if (session.copies) {
    if (const SessionResult<void> brought = session.bring_to_device(sets.first(calls)); !brought) {
      return std::unexpected(brought.error());
    }
  }
  session.load_code(); // not on the clock
  const Clock::time_point waking = session.link->now();
  if (const SessionResult<void> awake = session.wake_threads(); !awake) {
    return std::unexpected(awake.error());
  }
  // Waking takes microseconds. What takes longer counts: the block's data lies there already, and whoever works on it
  // before the clock starts gains nothing.
  const double overslept = std::max(0.0, seconds_between(waking, session.link->now()) - k_waking_s);
  const ThreadTimes times_before = session.threads ? session.threads->times() : ThreadTimes{};
  const double cpu_before = session.link->cpu_seconds();
  const Clock::time_point begin = session.link->now();
  const SessionResult<void> done = session.give(backend::runner::Command::run_block, patience);
  const Clock::time_point end = session.link->now();
  if (!done) {
    return std::unexpected(done.error());
  }
  session.await_rest();
  BlockTiming timing;
  timing.wall_s = seconds_between(begin, end) + overslept;
  timing.child_cpu_s = session.cpu_at_answer - cpu_before;
  if (session.threads) {
    session.enter_shares(timing, times_before);
  }
  const std::uint64_t stamps = session.reply().stamp_end_ns - session.reply().stamp_begin_ns;
  timing.stamps_s = std::clamp(1e-9 * static_cast<double>(stamps), 0.0, timing.wall_s);
  if (session.cancels) {
    timing.cancelled =
      session.head().cancelled_sequence == session.head().command_sequence && session.reply().calls_done < calls;
  }
  if (session.device_clock && !timing.cancelled) {
    if (const SessionResult<void> possible = session.enter_device_time(timing); !possible) {
      return std::unexpected(possible.error());
    }
  }
  if (session.copies) {
    if (const SessionResult<void> brought = session.bring_back(sets.first(calls)); !brought) {
      return std::unexpected(brought.error());
    }
  }
  return timing;
}

SessionResult<void> RunnerSession::run_groups(std::uint32_t set, std::uint32_t launch, std::int64_t first,
                                              std::int64_t count, bool descending, bool with_fills, bool keeps_shared)
{
  backend::runner::cpu::Extension& area = *m_impl->job.cpu();
  area.group_set = set;
  area.group_launch = launch;
  area.group_first = first;
  area.group_count = count;
  area.group_descending = descending;
  area.group_with_fills = with_fills;
  area.group_keeps_shared = keeps_shared;
  m_impl->load_code();
  // What comes between groups is none of the candidate's time.
  SessionResult<void> done =
    m_impl->give(backend::runner::cpu::k_run_groups, m_impl->call_deadline + count * k_between_groups);
  m_impl->cpu_at_answer = m_impl->link->cpu_seconds();
  return done;
}

void RunnerSession::cancel() const
{
  m_impl->cancel();
}

double RunnerSession::late_cpu_s() const
{
  if (m_impl->threads && !m_impl->library) {
    m_impl->threads->wait_for_rest(k_rest_deadline); // the clock is exact once they sleep
  }
  return m_impl->restless_s + std::max(0.0, m_impl->link->cpu_seconds() - m_impl->cpu_at_answer);
}

double RunnerSession::cpu_s() const
{
  return m_impl->link->cpu_seconds();
}

int RunnerSession::jobs() const
{
  return m_impl->jobs;
}

bool RunnerSession::supports_groups() const
{
  return m_impl->groups;
}

Result<void> prepare_sessions()
{
  std::signal(SIGPIPE, SIG_IGN);
  const fs::path runner = libexec_folder() / "hone-runner-cpu";
  if (access(runner.c_str(), X_OK) != 0) {
    return fail(fmt::format("{} is not there", runner.string()),
                "build or install Hone again, or set HONE_LIBEXEC to the folder of its runner programs");
  }
  return {};
}

} // namespace hone::gate
