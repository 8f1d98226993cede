// What things cost on a processor of these years, in cycles, for attributing a call's time to its causes: rounded
// figures that makers' manuals give, the same on every machine, so that a diagnosis does not depend on a measurement.
// (internal)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace hone::tools {

// A line of 64 bytes that comes from the second level, the third, or memory.
struct LineCost {
  double streamed = 0; // brought ahead by prefetchers: 64 B over the level's bandwidth of 32, 13 and 4.5 B a cycle
  double missed = 0;   // asked for when it is needed: half of the latencies of 14, 40 and 120, as two are under way
};
inline constexpr std::array<LineCost, 3> k_line_costs{{{2, 7}, {5, 20}, {14, 60}}};

// Of the level behind so many others, in a hierarchy of `levels` caches: the last one's lines come from memory.
inline LineCost line_cost(std::size_t level, std::size_t levels)
{
  return level + 1 >= levels ? k_line_costs.back() : k_line_costs[std::min(level, k_line_costs.size() - 2)];
}

// Prefetchers follow steps of less than half a page (Intel's by instruction: 2 KiB).
inline constexpr long long k_longest_prefetched_step = 2048;
inline constexpr double k_usual_stride = 0.5; // of a line's steps: from then on it has one that they follow

inline constexpr double k_split_access = 2;       // a second turn of the port, and of the buffer that joins the halves
inline constexpr double k_second_translation = 7; // a page in the second level of translations
inline constexpr double k_page_walk = 25;         // one in neither
inline constexpr double k_contested_store = 40;   // a line comes from another core, some 80 cycles, two under way
inline constexpr double k_call_cycles = 40;       // of exp, log and their like, which are not modelled
inline constexpr double k_division = 5;           // until the divider takes the next one
inline constexpr double k_gather = 8;             // loads of a gather of 8 elements, one after the other
inline constexpr double k_mispredicted = 16;      // instructions begun in vain
inline constexpr double k_wrong_guesses = 0.5;    // of a branch that asks for data without order

// Of a GPU's unit, in its cycles (H100): four instructions of warps begin, a turn of shared memory is served, two
// sectors come from the L2 cache, 15 bytes from memory (3.35 TB/s over 132 units at 1.7 GHz).
inline constexpr double k_warp_instruction = 0.25, k_shared_turn = 1, k_sector = 0.5, k_device_byte = 1.0 / 15;

} // namespace hone::tools
