#include "backend/launches_to_run.h"

#include "backend/fill_pattern.h"

namespace hone::backend {
namespace {

class RunList {
public:
  RunList(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan) : m_kernel(kernel), m_plan(plan) {}

  ListedLaunch entry(const kernel::ResolvedLaunch& launch) const
  {
    ListedLaunch out;
    out.kernel = launch.kernel;
    out.groups = launch.grid;
    out.block = launch.block;
    out.shared_bytes = launch.shared_bytes;
    for (const kernel::ResolvedArgument& argument : launch.args) {
      const bool buffer = argument.kind != kernel::ResolvedArgument::Kind::integer;
      out.arguments.push_back({buffer, buffer ? index_of(argument) : argument.integer});
    }
    for (const kernel::ResolvedArgument& argument : launch.reduce) {
      out.reduced.push_back(index_of(argument));
    }
    for (const kernel::ResolvedFill& fill : launch.fills) {
      const kernel::DataType type = type_of(fill.buffer);
      out.fills.push_back(
        {index_of(fill.buffer), fill_pattern(fill.value, type), static_cast<std::int64_t>(kernel::size_of(type))});
    }
    return out;
  }

private:
  std::int64_t index_of(const kernel::ResolvedArgument& argument) const
  {
    const std::size_t before = argument.kind == kernel::ResolvedArgument::Kind::scratch ? m_kernel.arguments.size() : 0;
    return static_cast<std::int64_t>(before + argument.position);
  }

  kernel::DataType type_of(const kernel::ResolvedArgument& argument) const
  {
    return argument.kind == kernel::ResolvedArgument::Kind::scratch ? m_plan.scratch[argument.position].type
                                                                    : m_kernel.arguments[argument.position].type;
  }

  const kernel::Kernel& m_kernel;
  const kernel::ResolvedPlan& m_plan;
};

} // namespace

std::vector<ListedLaunch> launches_to_run(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan)
{
  const RunList list(kernel, plan);
  std::vector<ListedLaunch> launches;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    launches.push_back(list.entry(launch));
  }
  return launches;
}

} // namespace hone::backend
