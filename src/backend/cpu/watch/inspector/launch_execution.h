// Runs the groups of one launch under watch: one after another, or interleaved as fibers if they may communicate
// through a reduced buffer.
#pragma once

#include "backend/cpu/watch/access_callback.h"
#include "backend/cpu/watch/fibers.h"
#include "backend/cpu/watch/group_order.h"
#include "backend/cpu/watch/group_registers.h"
#include "backend/cpu/watch/inspector/group_call.h"
#include "backend/cpu/watch/interleaving.h"
#include "backend/cpu/watch/watched_memory.h"
#include "backend/launch_list.h"
#include "util/random.h"

#include <array>
#include <csetjmp>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::backend::cpu {

void apply_fills(const ListedLaunch& launch, WatchedMemory& memory); // of buffers, before the launch

class LaunchExecution {
public:
  // `number`: of the launch in its call. `covers_call`: the call is a small one, all of whose accesses are checked.
  LaunchExecution(const ListedLaunch& launch, std::size_t number, void* entry, WatchedMemory& memory,
                  std::uint64_t seed, bool covers_call);

  // Checks up to `max_accesses` accesses; 0: all. The other groups run unwatched, unless `may_skip_rest`: nobody needs
  // what they compute. Returns the number of watched groups.
  std::int64_t run(std::size_t max_accesses, bool may_skip_rest);

  // Runs groups in index order from a random one on, wrapping around, up to so many accesses. Returns the number of
  // accesses of each group. With randomized registers the stack is overwritten before each group, too.
  std::vector<std::size_t> count_accesses(GroupRegisters registers, std::size_t max_accesses);

  // For access hooks, in the middle of a group.
  void yield_if_drawn(); // to another group, if they are interleaved
  // For a group that has reached its limit: it may still wait for others at atomic operations.
  CallbackMode mode_after_limit() const { return m_interleaved ? CallbackMode::locked_only : CallbackMode::off; }
  // Whether the access callback itself yields, once it has recorded all accesses of the instruction.
  bool yields_after_instruction() const { return m_memory.instrumentation() == Instrumentation::assembly; }
  // Abandons a group that has reached its limit if only variables are checked: its results are known already.
  void leave_group_if_guarded();
  std::uint64_t draw_below(std::uint64_t limit) { return m_random.below(limit); }

private:
  bool is_spent(std::size_t max_accesses) const;
  GroupDescription& group_in(std::size_t fiber);
  void limit_to_stack(const void* stack_end, std::size_t fiber);
  void run_interleaved(std::size_t max_accesses);
  std::optional<std::size_t> choose_fiber(std::size_t max_accesses);
  void start_group(std::size_t fiber, std::int64_t group);
  void resume(std::size_t fiber);
  void prepare_group(std::size_t fiber, std::int64_t group);
  template <class Run> void run_with_recording(Run run);
  void end_group();
  void run_watched(std::int64_t group);
  void run_unwatched(std::int64_t group);
  void call_group(void* entry);

  const ListedLaunch& m_launch;
  void* m_entry;
  WatchedMemory& m_memory;
  bool m_covers_call;
  GroupOrder m_order;
  Random m_random;
  GroupArguments m_values{};
  std::size_t m_first_description; // of fiber 0
  Interleaving m_interleaving;
  const void* m_stack_top = nullptr; // of groups that run one after another
  std::jmp_buf m_before_group{};
  Fibers m_fibers;
  bool m_interleaved = false;
  std::int64_t m_watched = 0;
};

} // namespace hone::backend::cpu
