// One pair of runners on one arena, and the blocks run in it. (internal to the gate)
#pragma once

#include "gate/compare.h"
#include "gate/set_ring.h"

#include <array>
#include <optional>
#include <vector>

namespace hone::gate {

class RunnerPair {
public:
  // A failure is an arm that could not be opened.
  using Opened = std::expected<RunnerPair, ArmFailure>;
  static Result<Opened> open(const CompareRequest& request, const TimingHooks& hooks, const PairSpec& spec,
                             Random& random, std::optional<Arena> former);
  // The arena of a pair that is done: its runners end first.
  static Arena take_arena(RunnerPair pair);

  using Block = BlockSource::Block;
  // Fresh data, weights prepared, `settle` calls that do not count, then `calls` calls on the clock, then all checks.
  // What the runner did beyond that since its last block is in the time, too.
  Result<Block> run_block(Arm arm, std::uint32_t calls, std::uint32_t settle);
  // The same with stress values in one call (hot: in all). What hot sets held is lost.
  Result<Block> run_stress_block(Arm arm, std::uint32_t calls, std::uint32_t settle);
  // One call on values that were never there, with inputs and outputs in cache. What the pair's sets held is lost.
  Result<Block> run_unseen(Arm arm);

private:
  RunnerPair(const CompareRequest& request, const TimingHooks& hooks, const PairSpec& spec, Arena arena,
             Random& random);

  Result<void> fill_once();
  void overwrite_outputs(Arm arm, std::span<const std::uint32_t> sets);
  Result<void> renew(Arm arm, std::span<const std::uint32_t> sets);
  Result<void> make_ready(Arm arm, std::span<const std::uint32_t> sets, std::size_t settling);
  Result<void> put_away(Arm arm, std::span<const std::uint32_t> sets);
  // Seconds per set; 0 where nothing had to be prepared.
  SessionResult<double> prepare_weights(Arm arm, std::span<const std::uint32_t> sets);
  Result<Block> run_renewed(Arm arm, std::span<const std::uint32_t> settling, std::span<const std::uint32_t> timed);
  void read_shared_inputs();
  SessionResult<BlockTiming> run_calls(Arm arm, std::span<const std::uint32_t> sets);
  double unasked_s(Arm arm);
  std::optional<ArmFailure> look_for_late_work(Arm arm, BlockRecord& record);
  std::optional<std::string> damage(std::span<const std::uint32_t> sets);
  RunnerSession& session(Arm arm) { return m_sessions[static_cast<std::size_t>(arm)]; }

  const CompareRequest* m_request;
  const TimingHooks* m_hooks;
  Random* m_random;
  Arena m_arena;
  std::vector<RunnerSession> m_sessions; // candidate, incumbent
  std::array<std::optional<Preparation>, k_arms> m_preparations;
  std::optional<Arm> m_prepared_for; // hot regime: whose preparation lies in the arena
  std::array<double, k_arms> m_late_seen{};
  std::array<double, k_arms> m_owed{}; // used without being asked to, and not in any block's time yet
  std::uint32_t m_registers_seed;      // alike for both arms
  std::array<std::uint32_t, k_arms> m_blocks{};
  SetRing m_ring;
  std::vector<bool> m_waiting; // cold: sets that hold fresh data
  // Hot regime: the inout tensors of set 0 as they were filled, by argument.
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> m_pristine;
};

} // namespace hone::gate
