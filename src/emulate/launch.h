// One launch of a program on the emulated device. (public)
#pragma once

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

struct LaunchRequest {
  const Program* program = nullptr;
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;   // as Entry::parameters lie
  std::uint64_t seed = 0;              // of the order of warps; 0: as they are numbered
  std::uint64_t most_instructions = 0; // of warps, after which the launch counts as hung; 0: any number
  std::size_t most_findings = 16;
  bool checks = true; // races and uninitialised memory; bounds are always checked
  std::stop_token stop;
};

struct LaunchCounts {
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
};

struct LaunchResult {
  std::vector<Finding> findings; // the first of each pair of places
  bool finished = false;         // whether all groups came to their end
  LaunchCounts counts;
};

LaunchResult launch(const LaunchRequest& request, GlobalMemory& memory);

} // namespace hone::emulate
