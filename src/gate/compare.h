// Runs a comparison: pairs of fresh runners on one CPU, ABBA quads of blocks, outputs checked after every block.
// The protocol is described in docs/measurement.md. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/preparation.h"
#include "gate/runner_session.h"
#include "gate/timing.h"
#include "util/random.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace hone::gate {

// One side: a module with its plan, or a library.
struct CompareArm {
  const backend::Backend* backend = nullptr;
  const backend::Module* module = nullptr;
  const kernel::ResolvedPlan* plan = nullptr;
  const PreparationBuild* preparation = nullptr; // of weights, where the plan has one
  std::string library, library_setting;
};

struct CompareRequest {
  const kernel::Kernel* kernel = nullptr;
  record::Recipe recipe; // sizes, pairs, seconds per pair
  record::Regime regime = record::Regime::cold;
  CompareArm candidate, incumbent;
  // One per thread of a contender; both arms use them in turn. The parent shares the first meanwhile.
  std::vector<int> cpus{0};
  std::int64_t last_level_cache = 32 << 20; // bytes that a CPU can use of it; a ring of cold data is larger
  std::uint64_t seed = 0;                   // layouts, block lengths, order, poison: unpredictable to a candidate
  std::chrono::milliseconds call_deadline{10'000};
  bool places_code = true;        // the parent chooses where code lies: small gains must hold at other places, too
  std::int64_t device_memory = 0; // bytes, where it is not the host's; 0: it is
  bool repeats_inputs = false;    // from call to call or from block to block, so that results could be kept
  // What four pairs leave open gets as many again, slow calls two pairs in any case; and where inputs repeat, a FAST
  // candidate must be as fast on values that it never saw.
  bool settle_doubt = false;
  std::stop_token stop; // checked between blocks; ends in an Error

  const CompareArm& side(Arm arm) const { return arm == Arm::candidate ? candidate : incumbent; }
  // What both arms have room for: `bytes_of` a plan, of the one that needs more.
  std::int64_t larger(std::int64_t (*bytes_of)(const kernel::ResolvedPlan&)) const
  {
    return std::max(bytes_of(*candidate.plan), bytes_of(*incumbent.plan));
  }
};

// What the protocol cannot know about the kernel. Hooks run on the calling thread, between blocks.
struct TimingHooks {
  // A new arena: nothing in it is what it was. May be empty.
  std::function<void(Arena& arena)> begin;
  // Writes fresh values into all inputs (and inout tensors) of these sets, around the caches (Store::streaming).
  // Cold: after every block of several calls, for the sets of its calls, and before calls on sets of which that cannot
  // be said. Hot: once per arena, for all sets, which share their inputs; before every block the calls get copies of
  // the inout tensors of set 0 as they were filled then. `arm`: whose call is next, of one set.
  std::function<Result<void>(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)> refill;
  // Writes values into the inputs of one set that have not been there before, nor ever come again.
  std::function<Result<void>(Arena& arena, std::uint32_t set)> write_unseen;
  // Makes sure that the answer to one of these calls, an arm's next ones, is known in full, where that is due. May be
  // empty.
  std::function<Result<void>(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)> ensure_known;
  // Writes stress values, whose answer is known in full, into the inputs of one set (hot: of all). False where it
  // cannot. May be empty. Each of so many kinds comes once before any comes again.
  std::function<Result<bool>(Arena& arena, std::uint32_t set)> write_stress;
  std::size_t stress_kinds = 0;
  // Judges the outputs of a timed block, one set per call. The SessionEnd says why they are not right and ends the
  // comparison. Guard bands have been looked at already.
  std::function<Result<SessionResult<void>>(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)> check;
};

struct ArmFailure {
  Arm arm = Arm::candidate;
  SessionEnd end;
};

struct CompareOutcome {
  std::optional<ArmFailure> failure; // an arm broke or was wrong: no result then
  record::ComparisonResult result;
};

// `memory`: of the last comparison, where there was one; the next one uses it again. Getting a ring of cold data from
// the system takes longer than many a comparison.
Result<CompareOutcome> compare_lanes(const CompareRequest& request, const TimingHooks& hooks,
                                     std::optional<Arena>& memory);

// What distinguishes one pair from the next.
struct PairSpec {
  std::size_t sets = 1;
  std::size_t drawn_from = 1; // sets that come next in any order: where the next call's data lie cannot be foretold
  std::uint64_t layout_seed = 0;
  std::size_t code_offset = 0; // of both arms
};

// Where the blocks of a comparison come from: pairs of runners; or a model of a machine, where the protocol itself is
// what is looked at. One pair is open at a time.
class BlockSource {
public:
  using Block = std::expected<BlockRecord, ArmFailure>;
  virtual ~BlockSource() = default;
  virtual Result<std::size_t> bytes_of_set() const = 0; // of one call's tensors and scratch
  // A failure is an arm that could not be opened. `random` is used until the pair ends.
  virtual Result<std::optional<ArmFailure>> open_pair(const PairSpec& pair, Random& random) = 0;
  virtual Result<Block> run_block(Arm arm, std::uint32_t calls, std::uint32_t settle) = 0;
  virtual Result<Block> run_unseen(Arm arm) = 0; // one call, on values that were never there, in cache
  // As any other block of the pair, but with stress values in one call. Its time does not count.
  virtual Result<Block> run_stress_block(Arm, std::uint32_t, std::uint32_t) { return Block(BlockRecord{}); }
  virtual std::size_t stress_kinds() const { return 0; } // of values, none again before all had their turn
  virtual void end_pair() = 0;
  virtual std::size_t bytes_held() const { return 0; } // from former pairs, for the next one
};

// The protocol on blocks from anywhere. What the machine did is left to the caller.
Result<CompareOutcome> compare_blocks(const CompareRequest& request, BlockSource& source);

} // namespace hone::gate
