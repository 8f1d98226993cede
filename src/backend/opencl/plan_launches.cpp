#include "backend/opencl/plan_launches.h"

#include <algorithm>

namespace hone::backend::opencl {
namespace {

// PoCL has another version of a kernel's code for grids whose extents, in work-items, are all below this.
constexpr std::int64_t k_wide_grid = 65'535;

constexpr std::int64_t k_some_shared = 64; // bytes

std::int64_t fewest_groups(std::int64_t groups, std::int64_t block)
{
  if (groups < k_wide_grid / block) {
    return 1;
  }
  return std::min(groups, k_wide_grid / block + 2);
}

ListedLaunch to_compile(const kernel::ResolvedLaunch& launch)
{
  ListedLaunch out;
  out.kernel = launch.kernel;
  out.block = launch.block;
  out.shared_bytes = launch.shared_bytes > 0 ? k_some_shared : 0; // how much there is makes no other code
  for (std::size_t i = 0; i < out.groups.size(); ++i) {
    out.groups[i] = fewest_groups(launch.grid[i], launch.block[i]);
  }
  for (const kernel::ResolvedArgument& argument : launch.args) { // one dummy buffer, and integers that do not matter
    out.arguments.push_back({argument.kind != kernel::ResolvedArgument::Kind::integer, 0});
  }
  return out;
}

} // namespace

std::vector<ListedLaunch> launches_to_compile(const kernel::ResolvedPlan& plan)
{
  std::vector<ListedLaunch> launches;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    ListedLaunch entry = to_compile(launch);
    if (std::ranges::find(launches, entry) == launches.end()) { // repeats
      launches.push_back(std::move(entry));
    }
  }
  return launches;
}

} // namespace hone::backend::opencl
