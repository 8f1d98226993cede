// A machine as a model: how long blocks take on it. The protocol runs on it as on runners, in microseconds instead of
// seconds, so that what its verdicts and intervals are worth can be counted. Tests and harness/trust share it.
#pragma once

#include "gate/compare.h"

#include <string>
#include <vector>

namespace hone::gate::test {

struct NoiseModel {
  std::string name;
  double call_s = 50e-6;        // of the incumbent
  double ratio = 1;             // the true one: incumbent's time / candidate's
  double pair_sd = 0.003;       // of what a pair's ratio is off by as long as its runners live (logarithm)
  double block_sd = 0.004;      // log-normal, each block
  double outliers = 0;          // share of blocks that take up to half as long again; of these every other one shows as
                                // time without the CPU
  double spikes = 0;            // share of the candidate's blocks that take
  double spike_s = 0;           // so much longer
  double drift = 0;             // share by which everything becomes slower in a second of timed work
  double handshake_s = 5e-6;    // of a block
  double first_candidate = 1;   // factor on the candidate's time in the first pair, which chooses the rule
  double ratio_elsewhere = 0;   // with code at another offset; 0: the same
  std::size_t stress_kinds = 0; // of values
};

// As docs/results/trust.md has them: a quiet machine, one whose other CPU is busy, and a bandwidth-bound kernel, whose
// bandwidth others share.
std::vector<NoiseModel> usual_machines();

class ModelledMachine final : public BlockSource {
public:
  explicit ModelledMachine(const NoiseModel& model) : m_model(model) {}

  Result<std::size_t> bytes_of_set() const override { return std::size_t{4096}; }
  Result<std::optional<ArmFailure>> open_pair(const PairSpec& pair, Random& random) override;
  Result<Block> run_block(Arm arm, std::uint32_t calls, std::uint32_t settle) override;
  Result<Block> run_unseen(Arm arm) override { return run_block(arm, 1, 0); }
  Result<Block> run_stress_block(Arm, std::uint32_t, std::uint32_t) override
  {
    m_stress_pairs.push_back(m_pairs);
    return Block(BlockRecord{});
  }
  std::size_t stress_kinds() const override { return m_model.stress_kinds; }
  void end_pair() override { ++m_pairs; }

  const std::vector<int>& stress_pairs() const
  {
    return m_stress_pairs;
  } // with a stress block; the one of first calls is 0

private:
  NoiseModel m_model;
  Random* m_random = nullptr;
  double m_ratio = 1; // of the open pair
  double m_timed_s = 0;
  int m_pairs = 0;
  std::vector<int> m_stress_pairs;
};

// As by default, in full.
CompareRequest request_on_model(std::uint64_t seed);

// A whole comparison; `searching` as while climbing. Equal seeds give equal results.
record::ComparisonResult simulated(const NoiseModel& model, std::uint64_t seed, bool searching = false,
                                   record::Regime regime = record::Regime::hot);

// What the parent's clock makes of the true ratio: hand-overs are part of a block, and bring it nearer to 1.
double ratio_of_blocks(const NoiseModel& model);

} // namespace hone::gate::test
