// Where everything in an arena lies: in the parent, in the runner, in the shared files. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/session_memory.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::gate {

// The files that an arena lies in. Calls read inputs and weights, write outputs and read what was prepared; a
// preparation reads weights, writes what it prepares, and sees nothing else.
enum class Area : std::size_t { inputs, weights, outputs, prepared };
constexpr std::size_t k_areas = 4;

// Whether a runner has an area, and whether it may write there.
enum class Access { none, read, write };
Access access_to(Area area, bool prepares);

// A tensor (or scratch) with the canary bands around it.
struct Placement {
  std::string name;
  std::size_t set = 0;
  bool every_set = false; // shared inputs, group-local scratch: the same bytes for all sets
  Area area = Area::inputs;
  bool poisoned = false; // outputs and scratch; not inout, whose values are inputs too
  std::size_t element_bytes = 1;
  std::size_t bytes = 0;
  std::size_t offset = 0;     // in its file
  std::size_t band_begin = 0; // in its file: [band_begin, offset) and [offset + bytes, band_end) hold canaries
  std::size_t band_end = 0;
  std::uint64_t address = 0; // in the runner
  std::uint64_t canary_key = 0;

  // For devices with memory of their own: which contents these are, and whether they are nothing but poison, of a key.
  std::uint64_t version = 1;
  std::optional<std::uint64_t> poison;
  void touch()
  {
    ++version;
    poison.reset();
  }
};

// One range of a file at a fixed address of every runner.
struct ArenaMapping {
  std::uint64_t address = 0;
  std::size_t length = 0;
  std::size_t offset = 0;
  Area area = Area::inputs;
};

struct ArenaLayout {
  std::vector<Placement> placements;
  std::vector<ArenaMapping> mappings;
  std::array<std::size_t, k_areas> bytes{}; // sizes of the files
  std::uint64_t other_stack_end = 0;        // of a stack that lies right below a tensor; 0: none has room for it
  // Positions in `placements`: of argument a of set s at [s * arguments + a], of scratch and prepared scratch at [s],
  // of worker w's shared scratch at [w].
  std::vector<std::size_t> arguments, scratch, prepared, shared;
};

Result<ArenaLayout> lay_out(const ArenaSpec& spec);

// A faulting address in words: what a runner touched, relative to the nearest tensor.
struct Touch {
  bool near_tensor = false; // in a tensor or not far from one
  bool in_input = false;
  std::string place; // "4 bytes past the end of C, set 0"
};
Touch describe_address(const ArenaLayout& layout, std::uint64_t address);

// "4 bytes past the end of C, set 0": distances count to the far edge of the element that was hit.
std::string describe_past_end(const Placement& tensor, std::size_t distance);
std::string describe_before_start(const Placement& tensor, std::size_t distance);

struct Arena::Impl {
  kernel::Sizes sizes;
  std::size_t sets = 0;
  std::size_t argument_count = 0;
  std::vector<kernel::DataType> types; // of the arguments
  ArenaLayout layout;
  std::array<SharedMemory, k_areas> files;

  const SharedMemory& file_of(Area area) const { return files[static_cast<std::size_t>(area)]; }
  std::byte* base_of(const Placement& placement) const { return file_of(placement.area).data(); }
  const Placement& argument(std::size_t set, std::size_t position) const
  {
    return layout.placements[layout.arguments[set * argument_count + position]];
  }
  // Whoever asks for these bytes may write to them.
  Placement& touched(std::size_t placement)
  {
    layout.placements[placement].touch();
    return layout.placements[placement];
  }
  const Placement& scratch(std::size_t set) const { return layout.placements[layout.scratch[set]]; }
  const Placement& prepared(std::size_t set) const { return layout.placements[layout.prepared[set]]; }
  const Placement& shared(std::size_t worker) const { return layout.placements[layout.shared[worker]]; }
};

} // namespace hone::gate
