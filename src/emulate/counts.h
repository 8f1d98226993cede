// What a launch did, counted: for each instruction, for each line of its source, and in all. Nothing is timed. (public)
#pragma once

#include "emulate/finding.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::emulate {

enum class InstructionClass : std::uint8_t {
  integer, // bits, comparisons and choices too
  single,  // f32
  real,    // f64
  half,    // f16 and bf16
  conversion,
  control,       // branches, calls, returns
  shared_memory, // loads and stores, ldmatrix and stmatrix
  global_memory, // loads and stores
  atomic,        // of global or shared memory
  barrier,       // fences and waits too
  exchange,      // between lanes of a warp
  matrix,
  copy,  // asynchronous
  other, // moves between registers; parameters, constant and local memory
};
constexpr std::size_t k_instruction_classes = 14;
std::string_view name_of(InstructionClass kind); // "shared memory"
// Of an opcode: "ld.global.f32". Accesses that do not name their memory count as global here; a launch knows better.
InstructionClass class_of(std::string_view opcode);

// What executions cost, added up.
struct Counts {
  std::uint64_t warps = 0, lanes = 0; // that executed it
  // Global memory: accesses of warps, sectors of 32 bytes that each of them touches, bytes that its lanes want.
  std::uint64_t requests = 0, sectors = 0, wanted_bytes = 0;
  std::uint64_t wavefronts = 0;       // of shared memory: turns that a warp's access takes,
  std::uint64_t least_wavefronts = 0; // and would take without bank conflicts
  std::uint64_t parted = 0;           // of a branch: times at which lanes of a warp went both ways
  std::uint64_t multiply_adds = 0;    // of matrix instructions
  std::uint64_t float_operations = 0; // of lanes, without those; a fused multiply-add is two
  std::uint64_t copied_bytes = 0;     // that bulk and tensor copies bring to their destinations
  // The L2 cache, in bytes of sectors: what it is asked for, and what it takes from memory and gives back.
  std::uint64_t cache_reads = 0, cache_writes = 0, cache_updates = 0; // updates: atomic ones
  std::uint64_t memory_reads = 0, memory_writes = 0;

  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

// Of one instruction of the program, all its executions together.
struct LineCounts : Counts {
  SourcePlace place;
  std::string opcode; // "ld.global.f32"
  InstructionClass kind = InstructionClass::other;
  std::uint64_t first_address = 0; // of global memory, that it was the first to touch; 0: none
};

struct LaunchCounts {
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
  // Where LaunchRequest::counts was asked for:
  std::vector<LineCounts> lines; // in the program's order
  Counts total;                  // their sum
};

// Of one line of the source, all its instructions together.
struct SourceLineCounts : Counts {
  std::string file; // "" where the PTX has no .loc: `line` is then a line of PTX
  int line = 0;
  std::array<std::uint64_t, k_instruction_classes> warps_of{}; // by InstructionClass

  std::uint64_t warps_of_class(InstructionClass kind) const { return warps_of[static_cast<std::size_t>(kind)]; }
};
std::vector<SourceLineCounts> by_source_line(const LaunchCounts& counts); // by file and line

} // namespace hone::emulate
