// The text that times a region from within: accumulated nanoseconds and entries, written to a file in the working
// folder when the program ends. What it reports comes from the program's own process. (internal to the room)
#pragma once

#include "program/region.h"
#include "util/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace hone::program {

// The file with this replacement in the region's place, timed. `name` begins all names that are added, and is the name
// of the file that is written: a fresh one for each build, so that a replacement cannot know it.
Result<std::string> instrumented(std::string_view text, const RegionSpec& spec, const Region& region,
                                 std::string_view replacement, const std::string& name);

// What the file holds.
struct RegionTime {
  double seconds = 0;
  double entries = 0; // calls of the function from outside it, or passes through the lines
};
std::optional<RegionTime> region_time_in(std::string_view bytes);

} // namespace hone::program
