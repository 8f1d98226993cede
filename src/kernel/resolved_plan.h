// A launch plan with every expression evaluated: for one kernel, one set of sizes, one tuning point, one device.
#pragma once

#include "kernel/candidate.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::kernel {

struct ResolvedArgument {
  enum class Kind { tensor, scratch, map, integer };
  Kind kind = Kind::integer;
  std::size_t position = 0; // in Kernel::arguments, in ResolvedPlan::scratch or ::maps
  std::int64_t integer = 0; // sizes and repeat_index are passed as 64-bit integers
};

struct ResolvedScratch {
  std::string name;
  DataType type = DataType::f32;
  std::int64_t elements = 0;
  bool prepared = false;

  std::size_t bytes() const { return static_cast<std::size_t>(elements) * size_of(type); }
};

// Dimensions from the innermost one on.
struct ResolvedMap {
  ResolvedArgument tensor; // or a scratch buffer
  std::vector<std::int64_t> sizes, box;
  std::int64_t swizzle = 0; // bytes
};

struct ResolvedFill {
  ResolvedArgument buffer;
  std::int64_t value = 0; // converted to the buffer's element type
};

struct ResolvedLaunch {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1}; // groups that run together
  std::int64_t shared_bytes = 0;
  std::vector<ResolvedArgument> args;
  std::vector<ResolvedArgument> reduce;
  std::vector<ResolvedFill> fills; // done before this launch

  bool has_clusters() const { return cluster[0] * cluster[1] * cluster[2] > 1; }
  std::int64_t groups() const { return grid[0] * grid[1] * grid[2]; }
};

struct ResolvedPlan {
  std::vector<ResolvedScratch> scratch;
  std::vector<ResolvedMap> maps;
  std::vector<ResolvedLaunch> launches;    // repeats unrolled, unmet `when` left out
  std::vector<ResolvedLaunch> preparation; // likewise; they write the prepared scratch from weights
  bool prepares = false;                   // this is the preparation of another plan

  // Whether this plan's launches may write a scratch buffer.
  bool writes(const ResolvedScratch& buffer) const { return buffer.prepared == prepares; }

  std::int64_t groups() const; // of all launches
};

// The preparation as a plan of its own, with the same scratch buffers.
ResolvedPlan preparation_of(const ResolvedPlan& plan);

// Names visible in a plan: sizes, tuning values, device facts ("device.units", ...).
PlanScope plan_scope(const Sizes& sizes, const TuningPoint& point, const PlanScope& device_facts);

// True when all constraints hold; otherwise `reason` names the first that does not.
Result<bool> satisfies_constraints(const TuningSpace& space, const PlanScope& scope, std::string* reason);

// Which error it is where no launch's condition holds: a mistake of the plan, not of the memory there is.
inline constexpr std::string_view k_launches_nothing = "the plan launches nothing on these sizes";

// Errors here are the candidate's mistake (status `constraints`): a grid of 0 or too large, scratch over the limit,
// a constraint that does not hold.
Result<ResolvedPlan> resolve_plan(const Kernel& kernel, const Candidate& candidate, const Sizes& sizes,
                                  const TuningPoint& point, const PlanScope& device_facts);

} // namespace hone::kernel
