// One launch of a program on the emulated device. (public)
#pragma once

#include "emulate/counts.h"
#include "emulate/finding.h"
#include "emulate/memory.h"
#include "emulate/program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::emulate {

// Of the model of the L2 cache: lines of 128 bytes with four sectors each, the least recently used one makes room.
struct CacheSizes {
  std::uint64_t bytes = std::uint64_t{50} << 20; // H100
  std::uint32_t ways = 16;
};

struct LaunchRequest {
  const Program* program = nullptr;
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{}; // groups of a cluster; zeros: as the program says
  std::uint32_t resident = 1;             // groups, or clusters, that run side by side
  bool cooperative = false;               // all of them do
  bool delays =
    false; // by the seed: warps lose turns before they wait or arrive, copies come early, late, in other orders
  std::size_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;   // as Entry::parameters lie
  std::uint64_t seed = 0;              // of the order of warps; 0: as they are numbered
  std::uint64_t most_instructions = 0; // of warps, after which the launch counts as hung; 0: any number
  std::size_t most_findings = 16;
  bool checks = true;  // races and uninitialised memory; bounds are always checked
  bool counts = false; // of every instruction
  CacheSizes cache;    // where they are asked for
  std::stop_token stop;
};

struct LaunchResult {
  std::vector<Finding> findings; // the first of each pair of places
  bool finished = false;         // whether all groups came to their end
  std::uint64_t groups_run = 0;  // that did
  LaunchCounts counts;
};

LaunchResult launch(const LaunchRequest& request, GlobalMemory& memory);
// The launch as it is asked for, and then in other orders, by seeds and delays, each from the same memory: `runs` in
// all. Findings of all of them, the rest is the first one's, and so is what memory holds in the end.
LaunchResult explore(const LaunchRequest& request, GlobalMemory& memory, int runs);

} // namespace hone::emulate
