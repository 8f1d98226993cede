// Recorded blocks as ABBA quads: their ratios, and which of them something else disturbed. (internal to the gate)
#pragma once

#include "gate/timing.h"

#include <span>
#include <vector>

namespace hone::gate {

constexpr std::size_t k_blocks_of_quad = 2; // of each arm

// One figure of each block, in order.
std::vector<double> block_values(const std::vector<BlockRecord>& blocks, double (*of)(const BlockRecord&));
double call_s(const BlockRecord& block);
double gap_s(const BlockRecord& block);         // wall time in which the runner, or one of its threads, had no CPU
double unexplained_s(const BlockRecord& block); // wall time outside the calls, by the runner's own stamps

const std::vector<BlockRecord>& blocks_of(const PairRecord& pair, Arm arm);
std::vector<BlockRecord> pooled(std::span<const PairRecord> pairs, Arm arm);

// The handshake of a block, from the gaps of many.
double usual_gap_s(std::span<const double> gaps);

// Per quad, log of incumbent's time / candidate's.
std::vector<double> quad_log_ratios(const PairRecord& pair);

// The pair without its interrupted quads, as long as that leaves more than half.
PairRecord without_disturbed_quads(const PairRecord& pair);

} // namespace hone::gate
