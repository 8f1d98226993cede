// What runs a launch's groups on several threads, where the source is compiled for that. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// One launch as the threads see it.
struct SpreadLaunch {
  std::size_t number = 0;             // among all launches of the plan
  std::string entry;                  // the function of a group
  std::vector<std::string> types;     // of its arguments
  std::vector<std::string> arguments; // as the function of the header passes them
};

// struct NAME_task_0 and NAME_part_0(), which runs a stretch of the launch's groups.
std::string part_text(const ExportContext& names, const SpreadLaunch& launch);
// The call that spreads the groups of `group` over the threads.
std::string spread_call(const ExportContext& names, const SpreadLaunch& launch);
// The threads themselves.
std::string pool_text(const ExportContext& names);
// A function that ends a launch on each thread: what its groups stored past the caches is seen from then on.
std::string fence_text(const ExportContext& names);
std::string fence_call(const ExportContext& names);
// Before the first include: the switch, with its default, and what the threads need of the C library.
std::string threads_head(const ExportContext& names);

} // namespace hone::ship
