// The list of steps that `sequence` follows, as a file in recipes/. (internal to the policy room)
#pragma once

#include "kernel/kernel.h"
#include "util/result.h"

#include <string>
#include <vector>

namespace hone::policy {

struct RecipeStep {
  std::string apply;       // a transformation's name; empty: a tuning session
  bool pays_later = false; // kept open where its own file does not say so, because of what follows in this list
  std::size_t tune = 0;    // points to try
  double seconds = 1e9;    // of wall time for the tuning session
  Place place;
};

struct StepList {
  std::string summary;
  int look_ahead = 2; // steps tried on top of one that pays later, before it is taken back
  std::vector<RecipeStep> steps;
};

Result<StepList> parse_step_list(std::string_view toml, const std::string& origin);
Result<StepList> load_step_list(const fs::path& file);

// The shipped list for a kernel. On the CPU recipes/CLASS.toml, or of a contraction CLASS-narrow.toml for elements
// below 32 bits, CLASS-transposed.toml for a transposed B, CLASS-row.toml for one row at these sizes; on another
// backend CLASS-BACKEND.toml. An empty one where none is shipped.
Result<StepList> shipped_step_list(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::string_view backend);

} // namespace hone::policy
