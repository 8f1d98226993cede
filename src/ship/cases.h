// On which sizes a folder checks itself, with everything about them as numbers. (internal to the room)
#pragma once

#include "ship/names.h"

#include <vector>

namespace hone::ship {

struct CheckCase {
  kernel::Sizes sizes;
  std::vector<std::int64_t> elements;   // per argument
  std::vector<kernel::Domain> domains;  // per argument
  std::vector<std::int64_t> rows;       // elements of each argument's last axis
  std::vector<std::int64_t> statements; // per statement of the expression: elements of its target
  bool is_sampled = false;              // too much work for every element in plain loops
  bool is_optional = false;             // so much work that other sizes do instead, where there are any
};

// Small sizes, odd ones and the measured ones: at least one.
Result<std::vector<CheckCase>> check_cases(const ExportContext& names);

} // namespace hone::ship
