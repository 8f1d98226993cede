// What the emulator found wrong with a launch. (public)
#pragma once

#include <string>
#include <string_view>

namespace hone::emulate {

enum class FindingKind {
  out_of_bounds, // an access outside of every allocation, or beyond shared or local memory
  misaligned,
  uninitialised, // shared or local memory that nobody wrote
  race,          // two accesses to the same bytes, at least one a store, which nothing orders
  divergence,    // a barrier that some items of a warp or block do not reach, or reach elsewhere
  wrong_mask,    // a shuffle or vote whose mask leaves out the one who executes it, or names one that has left
  deadlock,      // nobody can go on
  trap,          // the program says so
  hang,          // more instructions than allowed
  unsupported,   // an instruction that the emulator does not know: no verdict
};
std::string_view name_of(FindingKind kind); // "out of bounds", "race"

struct SourcePlace {
  std::string file; // "" where the PTX has no .loc
  int line = 0;
  int ptx_line = 0;
};
std::string to_text(const SourcePlace& place); // "device.cu:7", else "PTX line 31"

struct Finding {
  FindingKind kind = FindingKind::trap;
  std::string text;         // one line, places included: "race: device.cu:7 stores shared memory at 64 ..."
  SourcePlace place, other; // of the instruction, and of the one that it meets
};

} // namespace hone::emulate
