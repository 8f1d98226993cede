// The wrapper around a candidate's device.cpp: what its kernels must look like, and how the runner calls them.
// (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <vector>

namespace hone::cpu {

struct Entries {
  std::string header;              // C++ text, included before device.cpp
  std::vector<std::size_t> launch; // per launch of the plan: number of its entry
  std::size_t count = 0;           // distinct entries: functions hone_entry_0, hone_entry_1, ...
};

// Errors are the candidate's: one kernel name used with two different lists of arguments.
Result<Entries> make_entries(const Kernel& kernel, const ResolvedPlan& plan);

std::string entry_name(std::size_t number); // "hone_entry_3"

} // namespace hone::cpu
