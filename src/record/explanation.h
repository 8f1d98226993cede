// Why a comparison has its verdict: the measurements, the limits they were compared with, and the state of the machine.
// Kept in the record for people; no decision uses it.
#pragma once

#include "util/json.h"
#include "util/stats.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::record {

enum class Comparison;

// The measurements of one pair of runners.
struct PairEvidence {
  double ratio = 1;          // incumbent's time / candidate's, from the quads that count
  double ratio_with_all = 1; // from all of its quads
  double spread = 0;         // standard deviation of the ratios (of their logarithms) of its quads that count
  int quads = 0;             // that count; 0 under rules that have no quads
  int left_out = 0;          // quads during which something else had the CPU
  int blocks = 0;            // of both arms
  int calls = 0;             // timed, of both arms
  double on_clock_s = 0;     // wall time of these blocks
};

// Pairs were judged once; where that was not the end, `then` says why it went on.
struct Round {
  std::string rule; // as in Explanation
  int pairs = 0;
  Comparison verdict{};
  std::string then;
};

// The same code of both arms, shifted by so many bytes.
struct OffsetEvidence {
  int offset = 0;
  std::vector<double> pair_ratios;
};

// From before the first pair to the end of the last, on the CPUs that runners had. Nothing: this machine does not say.
struct MachineConditions {
  double seconds = 0;
  std::optional<double> stolen_s; // by a hypervisor, of all these CPUs together
  std::optional<double> quota_s;  // in which the control group was stopped for having used up its share
  std::optional<int> throttled;   // times that a core was slowed down for its heat
  std::vector<double> clocks_ghz; // of the first CPU: a counted loop before each pair and at the end
};

struct Explanation {
  std::string rule;                                    // of the last round: "full", "twofold", "slow", "searching"
  double candidate_first_s = 0, incumbent_first_s = 0; // first calls, by which the rule was chosen
  std::vector<Round> rounds;
  double agreement = 0.005;       // every pair beyond this, on one side: FAST or SLOW. Disturbances are in it
  double least_agreement = 0.005; // without disturbances
  double same_band = 0.01;        // the interval of all quads within this: SAME; 0 under rules that never say so
  // Of the ratio, from the quads of all pairs that count; only there where SAME was still possible.
  std::optional<Interval> quads_ci99;
  double cpu_missing = 0;  // share of the wall time in which a runner did not have the CPU, of the arm that had more
  double apart = 0;        // time around the calls: difference between the arms, as a share of a block
  double disturbed = 0.01; // either of them beyond this is a disturbance
  // All time together, whatever happened: incumbent's / candidate's; and the blocks that took longer than is usual for
  // their arm, by a quarter of the slower arm's.
  double ratio_of_totals = 1;
  int candidate_long_blocks = 0, incumbent_long_blocks = 0;
  std::vector<PairEvidence> pairs;
  // Wall time of all blocks whose times count: those of the pairs, first calls, calls at other offsets, calls on values
  // that were never there before.
  double on_clock_s = 0;
  std::vector<OffsetEvidence> elsewhere; // where the placement of code was looked into
  std::optional<MachineConditions> machine;

  // Whether disturbances raised the limit by so much that it shows.
  bool raised() const { return agreement > least_agreement + 5e-4; }
};

struct ComparisonResult;

// What decided, in one line: "all four pairs say at least 0.5 % faster: FAST".
std::string deciding_sentence(const ComparisonResult& result);

// With the deciding sentence as `decision`.
Json explanation_json(const ComparisonResult& result);
// Throws Json's exceptions and std::invalid_argument, as its callers expect.
Explanation explanation_from(const Json& json);

} // namespace hone::record
