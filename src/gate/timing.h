// The measurement protocol's arithmetic: how long blocks are, and what recorded block times prove. Pure functions;
// the protocol is described in docs/measurement.md. (internal to the gate)
#pragma once

#include "record/verdict.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone::gate {

enum class Arm : std::size_t { candidate, incumbent };
constexpr std::size_t k_arms = 2;

// How a comparison is made and judged.
enum class TimingRule {
  unanimous, // the protocol: every pair beyond 0.5 % on one side, or the pooled interval within 1 %
  twofold,   // the first calls differ by more than 2x: three blocks per arm and pair
  slow, // calls above half a second, while searching shorter ones that lie far apart: one call per arm and pair, two
        // pairs, only large differences
};
std::string_view name_of(TimingRule rule);
std::string_view word_of(TimingRule rule);         // in explanations: "full", "twofold", "slow"
constexpr double k_twofold_single_call_s = 300e-6; // above this, a block of the twofold rule is one call
// From the first calls of both arms, in seconds. While `searching`, a comparison only ranks: long calls that are
// clearly apart are called once per pair. Otherwise what is said of calls below k_twofold_single_call_s rests on many
// of them, however far apart they are: rare long ones count.
TimingRule rule_for(double candidate_call_s, double incumbent_call_s, bool searching = false);

// How the calls of one block are drawn, from the mean time of a call of both arms.
struct BlockPlan {
  std::uint32_t shortest = 1, longest = 1; // timed calls of a block: drawn between these, the same for a whole quad
  std::uint32_t settle = 0;                // calls before each block that do not count
};
// `most_calls`: sets that one block may use, settle calls included.
BlockPlan block_plan(double call_s, std::uint32_t most_calls);

// How long a pair goes on: until the calls of its quads have used `cpu_s`, within these numbers of quads, and not
// beyond `wall_s` once it has the fewest. The fewest do not depend on anything that a candidate says or does.
struct PairBudget {
  double cpu_s = 0.1;
  double wall_s = 2;
  std::uint32_t fewest = 2, most = 150;
};
PairBudget pair_budget(double call_s, const BlockPlan& plan, double seconds_per_pair);
// Calls of a pair, settle calls included, if they take as long as `mean_call_s` says.
double calls_of_pair(const PairBudget& budget, const BlockPlan& plan, double mean_call_s);
bool goes_on(const PairBudget& budget, std::uint32_t quads, double cpu_s, double wall_s);

// One block as recorded.
struct BlockRecord {
  std::uint32_t calls = 1;
  double wall_s = 0;      // the parent's clock, with any CPU time the runner used after its answer
  double child_cpu_s = 0; // of the main thread
  double stamps_s = 0;    // diagnosis, forgeable
  double waited_s = 0;    // of further threads, for CPUs that something else had
  double prepare_s = 0;   // per call, off the clock: laying weights out; 0 where nothing was prepared before the block
};

// Blocks of both arms in the order they ran within each arm. Under the unanimous rule blocks 2i and 2i + 1 of both
// arms are one ABBA quad.
struct PairRecord {
  std::array<std::vector<BlockRecord>, k_arms> blocks;
};

// The verdict on recorded pairs, with its explanation; `regime` and what a comparison is beside its pairs (first calls,
// rounds, other offsets, the machine) are left to the caller. Pairs must not be empty. Under the unanimous rule
// times and SAME come from the quads during which nothing else had the CPU; FAST and SLOW must hold with and without
// the rest.
record::ComparisonResult decide(std::span<const PairRecord> pairs, TimingRule rule);

// A FAST or SLOW on which four pairs agree but which is small, or not large beside their spread: with twice the pairs
// all of them must agree again.
bool may_be_chance(const record::ComparisonResult& result);
// One of which all time together leaves less than half; with twice the pairs it shows whose long calls these are.
bool is_gain_retracted(const record::ComparisonResult& result);

// Log ratio incumbent / candidate of one pair: > 0 means that the candidate is faster.
double pair_estimate(const PairRecord& pair, TimingRule rule);

} // namespace hone::gate
