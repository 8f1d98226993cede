#include "backend/opencl/plan_launches.h"

#include "backend/fill_pattern.h"

#include <algorithm>

namespace hone::opencl {
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

ListedLaunch to_compile(const ResolvedLaunch& launch)
{
  ListedLaunch out;
  out.kernel = launch.kernel;
  out.block = launch.block;
  out.shared_bytes = launch.shared_bytes > 0 ? k_some_shared : 0; // how much there is makes no other code
  for (std::size_t i = 0; i < out.groups.size(); ++i) {
    out.groups[i] = fewest_groups(launch.grid[i], launch.block[i]);
  }
  for (const ResolvedArgument& argument : launch.args) { // one dummy buffer, and integers that do not matter
    out.arguments.push_back({argument.kind != ResolvedArgument::Kind::integer, 0});
  }
  return out;
}

class RunList {
public:
  RunList(const Kernel& kernel, const ResolvedPlan& plan) : m_kernel(kernel), m_plan(plan) {}

  ListedLaunch entry(const ResolvedLaunch& launch) const
  {
    ListedLaunch out;
    out.kernel = launch.kernel;
    out.groups = launch.grid;
    out.block = launch.block;
    out.shared_bytes = launch.shared_bytes;
    for (const ResolvedArgument& argument : launch.args) {
      const bool buffer = argument.kind != ResolvedArgument::Kind::integer;
      out.arguments.push_back({buffer, buffer ? index_of(argument) : argument.integer});
    }
    for (const ResolvedFill& fill : launch.fills) {
      const DataType type = type_of(fill.buffer);
      out.fills.push_back(
        {index_of(fill.buffer), fill_pattern(fill.value, type), static_cast<std::int64_t>(size_of(type))});
    }
    return out;
  }

private:
  std::int64_t index_of(const ResolvedArgument& argument) const
  {
    const std::size_t before = argument.kind == ResolvedArgument::Kind::scratch ? m_kernel.arguments.size() : 0;
    return static_cast<std::int64_t>(before + argument.position);
  }

  DataType type_of(const ResolvedArgument& argument) const
  {
    return argument.kind == ResolvedArgument::Kind::scratch ? m_plan.scratch[argument.position].type
                                                            : m_kernel.arguments[argument.position].type;
  }

  const Kernel& m_kernel;
  const ResolvedPlan& m_plan;
};

} // namespace

std::vector<ListedLaunch> launches_to_compile(const ResolvedPlan& plan)
{
  std::vector<ListedLaunch> launches;
  for (const ResolvedLaunch& launch : plan.launches) {
    ListedLaunch entry = to_compile(launch);
    if (std::ranges::find(launches, entry) == launches.end()) { // repeats
      launches.push_back(std::move(entry));
    }
  }
  return launches;
}

std::vector<ListedLaunch> launches_to_run(const Kernel& kernel, const ResolvedPlan& plan)
{
  const RunList list(kernel, plan);
  std::vector<ListedLaunch> launches;
  for (const ResolvedLaunch& launch : plan.launches) {
    launches.push_back(list.entry(launch));
  }
  return launches;
}

} // namespace hone::opencl
