#include "backend/launches_to_run.h"

#include "backend/fill_pattern.h"

namespace hone {
namespace {

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
    for (const ResolvedArgument& argument : launch.reduce) {
      out.reduced.push_back(index_of(argument));
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

std::vector<ListedLaunch> launches_to_run(const Kernel& kernel, const ResolvedPlan& plan)
{
  const RunList list(kernel, plan);
  std::vector<ListedLaunch> launches;
  for (const ResolvedLaunch& launch : plan.launches) {
    launches.push_back(list.entry(launch));
  }
  return launches;
}

} // namespace hone
