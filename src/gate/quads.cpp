#include "gate/quads.h"

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

constexpr double k_longest_usual_gap_s = 15e-6; // handshake of one block
constexpr double k_interrupted = 0.02;          // share of a quad's wall time: a time slice, not an interrupt

// Something else had the CPU during this quad: wall time without the runner, beyond the usual handshakes.
bool was_interrupted(const PairRecord& pair, std::size_t first, double usual_s)
{
  double wall_s = 0, gaps_s = 0;
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    for (const BlockRecord& block : std::span(blocks_of(pair, arm)).subspan(first, k_blocks_of_quad)) {
      wall_s += block.wall_s;
      gaps_s += gap_s(block) - usual_s;
    }
  }
  return gaps_s > k_interrupted * wall_s;
}

} // namespace

std::vector<double> block_values(const std::vector<BlockRecord>& blocks, double (*of)(const BlockRecord&))
{
  std::vector<double> values;
  std::ranges::transform(blocks, std::back_inserter(values), of);
  return values;
}

double call_s(const BlockRecord& block)
{
  return block.wall_s / block.calls;
}

double gap_s(const BlockRecord& block)
{
  return block.wall_s - block.child_cpu_s + block.waited_s;
}

double unexplained_s(const BlockRecord& block)
{
  return block.wall_s - block.stamps_s;
}

const std::vector<BlockRecord>& blocks_of(const PairRecord& pair, Arm arm)
{
  return pair.blocks[static_cast<std::size_t>(arm)];
}

std::vector<BlockRecord> pooled(std::span<const PairRecord> pairs, Arm arm)
{
  std::vector<BlockRecord> all;
  for (const PairRecord& pair : pairs) {
    all.insert(all.end(), blocks_of(pair, arm).begin(), blocks_of(pair, arm).end());
  }
  return all;
}

std::vector<double> quad_log_ratios(const PairRecord& pair)
{
  const auto& ours = blocks_of(pair, Arm::candidate);
  const auto& theirs = blocks_of(pair, Arm::incumbent);
  std::vector<double> ratios;
  for (std::size_t i = 0; i + k_blocks_of_quad <= std::min(ours.size(), theirs.size()); i += k_blocks_of_quad) {
    ratios.push_back(std::log((theirs[i].wall_s + theirs[i + 1].wall_s) / (ours[i].wall_s + ours[i + 1].wall_s)));
  }
  return ratios;
}

double usual_gap_s(std::span<const double> gaps)
{
  return std::min(median(gaps), k_longest_usual_gap_s);
}

PairRecord without_disturbed_quads(const PairRecord& pair)
{
  const std::size_t blocks = std::min(blocks_of(pair, Arm::candidate).size(), blocks_of(pair, Arm::incumbent).size());
  std::vector<double> gaps = block_values(blocks_of(pair, Arm::candidate), gap_s);
  std::ranges::copy(block_values(blocks_of(pair, Arm::incumbent), gap_s), std::back_inserter(gaps));
  const double usual = usual_gap_s(gaps);
  PairRecord calm;
  for (std::size_t first = 0; first + k_blocks_of_quad <= blocks; first += k_blocks_of_quad) {
    if (was_interrupted(pair, first, usual)) {
      continue;
    }
    for (std::size_t arm = 0; arm < k_arms; ++arm) {
      const auto quad = std::span(pair.blocks[arm]).subspan(first, k_blocks_of_quad);
      calm.blocks[arm].insert(calm.blocks[arm].end(), quad.begin(), quad.end());
    }
  }
  return 2 * blocks_of(calm, Arm::candidate).size() > blocks ? calm : pair;
}

} // namespace hone::gate
