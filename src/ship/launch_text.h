// One entry of a launch plan as loops over its groups. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// void NAME(const hone_group*, ...); for each function that is launched, and how it is kept apart.
std::string launch_prototypes(const ExportContext& names);
// The same without what keeps them apart; and what a launch's function is called with.
std::string prototypes_alone(const ExportContext& names);
std::vector<std::string> launch_arguments(const ExportContext& names, const kernel::LaunchSpec& launch);
// The threads, and how they run each launch's groups; only for a source that is compiled for several.
std::string launch_threads(const ExportContext& names);
// The launch in the body of the function: condition, fill, repeats, groups.
Result<std::string> launch_text(const ExportContext& names, const kernel::LaunchSpec& launch);
// Lines put under the launch's `when`, and under a loop over repeat_index where it has one.
Result<std::string> repeated(const ExportContext& names, const kernel::LaunchSpec& launch, const std::string& lines);

} // namespace hone::ship
