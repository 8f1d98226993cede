// One candidate (or library) loaded into one locked runner process, attached to an arena. (internal to the gate)
//
// Every call has a deadline; a runner that dies, hangs or is killed by its lock leaves a SessionEnd, never an
// exception, and the session is finished then.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/runner_extension.h"
#include "gate/arena.h"
#include "gate/session_slot.h"
#include "record/verdict.h"
#include "util/result.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::gate {

// Why a session ended: already in the gate's words.
struct SessionEnd {
  record::Status status =
    record::Status::runtime; // runtime, timeout, rejected, or compile where a driver refuses what was compiled
  std::string reason;        // "killed by SIGSEGV writing 4 bytes past the end of C", "blocked system call clone"
  std::string log;           // of a refusal: what the driver said
};
template <class T> using SessionResult = std::expected<T, SessionEnd>;

struct SessionSpec {
  const backend::Backend* backend = nullptr;
  const backend::Module* module = nullptr;
  const kernel::ResolvedPlan* plan = nullptr;
  std::string library, library_setting; // instead of backend's module: the library profile
  // One per worker thread. The first is the runner's main thread, which shares its CPU with the parent while timing;
  // negative: not pinned.
  std::vector<int> cpus{-1};
  std::uint64_t layout_seed = 0; // shared by both arms of a pair
  std::size_t code_offset = 0;   // bytes by which the code is shifted inside the slot: a multiple of 64
  CodePages code = {};           // where the code lies while it runs; nothing: pages of its own
  std::chrono::milliseconds call_deadline{10'000};
  bool pulls_scratch = true; // where memory is the device's own: whether anybody looks at what calls leave in scratch
  std::stop_token stop;      // asks a running block to end, where the platform can do that
};

// What is taken for zero where it is below the smallest normal number: programs set the two apart.
enum class Flushes : std::uint32_t {
  nothing = 0,
  results = backend::runner::cpu::k_flushes_results,
  operands = backend::runner::cpu::k_flushes_operands,
  both = results | operands
};

// How whoever calls computes, and where its stack lies. Means something on CPUs only.
struct CallerState {
  Flushes flushes = Flushes::nothing;
  bool other_stack = false;
  bool keeps_registers = false;     // since the call before: where one is made alone, else what they hold is drawn
  std::uint32_t registers_seed = 0; // the same seed draws the same kinds, call by call; 0: anew each time
};

struct BlockTiming {
  double wall_s = 0;      // the parent's wall clock around the whole block
  double device_s = 0;    // by the device's own clock, where that counts; never more than wall_s
  double child_cpu_s = 0; // of the runner's main thread: what it got of the wall time
  double waited_s = 0;    // what further threads did not get, because something else had their CPUs
  double stamps_s = 0;    // runner's own clock around the calls: diagnosis
  bool cancelled = false; // ended early, as it was asked to: not all calls were made

  double counted_s() const { return device_s > 0 ? device_s : wall_s; } // the only time that counts
};

class RunnerSession {
public:
  static Result<SessionResult<RunnerSession>> open(const SessionSpec& spec, Arena& arena);
  // The same with the runner of a session that is of no more use, where the platform's runners take other jobs and
  // `arena` lies in the memory of the former one; else in a new one.
  static Result<SessionResult<RunnerSession>> open(const SessionSpec& spec, Arena& arena,
                                                   std::optional<RunnerSession> former);
  // The same in two steps, for runners that load side by side: a session that has started is good for nothing but
  // finish_loading() and its own end.
  static Result<RunnerSession> start(const SessionSpec& spec, Arena& arena);
  Result<SessionResult<void>> finish_loading();
  // Another job for the runner: finish_loading() follows. False: this runner cannot take it.
  Result<bool> rebind(const SessionSpec& spec, Arena& arena);
  RunnerSession(RunnerSession&&) noexcept;
  RunnerSession& operator=(RunnerSession&&) noexcept;
  ~RunnerSession(); // kills the runner and waits for it

  // Calls the whole plan once per entry of `sets`, in order: one timed block.
  SessionResult<BlockTiming> run_block(std::span<const std::uint32_t> sets, CallerState caller = {});
  // Asks the running block to end before its next call; from any thread. Where the platform cannot, nothing happens.
  void cancel() const;
  // CPU time that the runner used after it had answered the last command, on all its threads. An honest one goes to
  // sleep, which takes a few microseconds; one that answers early and works on, or spins while the other arm is timed,
  // is seen here.
  double late_cpu_s() const;
  double cpu_s() const; // of the runner since it was started, on all its threads
  // Runs the groups [first, first + count) of one launch of the plan on one set, ascending or descending. For
  // validation: fills belonging to the launch are done when `with_fills`. Each group finds random bits in shared
  // scratch, or what lies there already.
  SessionResult<void> run_groups(std::uint32_t set, std::uint32_t launch, std::int64_t first, std::int64_t count,
                                 bool descending, bool with_fills, bool keeps_shared = false);
  int jobs() const;             // that its runner has taken, this one included
  bool supports_groups() const; // false where the platform runs groups itself (OpenCL, libraries)

  struct Impl;

private:
  explicit RunnerSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

// Must be called once before the first session: ignores SIGPIPE and the like, finds the runner programs.
Result<void> prepare_sessions();

} // namespace hone::gate
