#include "kernel/resolved_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kernel {

namespace {

constexpr std::int64_t k_most_scratch = std::int64_t{8} << 30; // bytes, all buffers together
constexpr std::int64_t k_most_groups = std::int64_t{1} << 31;
constexpr std::int64_t k_most_items = std::int64_t{1} << 20; // work-items per group
constexpr std::int64_t k_most_box = 256;                     // elements of a tensor map's box along one dimension
constexpr std::int64_t k_most_shared = std::int64_t{1} << 30;
constexpr std::int64_t k_most_launches = 4096;

class PlanResolver {
public:
  PlanResolver(const Kernel& kernel, const LaunchPlan& plan, PlanScope scope)
    : m_kernel(kernel), m_plan(plan), m_scope(std::move(scope))
  {
  }

  Result<ResolvedPlan> run()
  {
    HONE_CHECK(resolve_scratch());
    HONE_CHECK(resolve_maps());
    for (const LaunchSpec& launch : m_plan.preparation) {
      HONE_CHECK(resolve_launch(launch, m_out.preparation));
    }
    for (const LaunchSpec& launch : m_plan.launches) {
      HONE_CHECK(resolve_launch(launch, m_out.launches));
    }
    std::int64_t most_shared = 0;
    for (const std::vector<ResolvedLaunch>* launches : {&m_out.preparation, &m_out.launches}) {
      for (const ResolvedLaunch& launch : *launches) {
        most_shared = std::max(most_shared, launch.shared_bytes);
      }
    }
    if (m_out.launches.empty()) {
      return fail(std::string(k_launches_nothing), "one [[launch]] must hold whatever the sizes are");
    }
    m_scope["shared"] = most_shared;
    std::string reason;
    HONE_TRY(const bool holds, satisfies_constraints(m_plan.tuning, m_scope, &reason));
    if (!holds) {
      return fail(reason, "choose another tuning point");
    }
    return std::move(m_out);
  }

private:
  Result<void> resolve_scratch()
  {
    std::int64_t total = 0;
    for (const ScratchSpec& scratch : m_plan.scratch) {
      HONE_TRY(const std::int64_t elements, scratch.size.evaluate(m_scope));
      const auto bytes = static_cast<std::int64_t>(size_of(scratch.type));
      if (elements < 1 || elements > (k_most_scratch - total) / bytes) {
        return fail(
          fmt::format("the scratch buffer '{}' would have {} elements; expected at least 1, and at most 8 GiB "
                      "for all buffers together",
                      scratch.name, elements));
      }
      total += elements * bytes;
      m_out.scratch.push_back({scratch.name, scratch.type, elements, scratch.prepared});
    }
    return {};
  }

  Result<void> resolve_launch(const LaunchSpec& spec, std::vector<ResolvedLaunch>& out)
  {
    m_scope["repeat_index"] = 0;
    HONE_TRY(const std::int64_t when, spec.when.evaluate(m_scope));
    if (when == 0) {
      return {};
    }
    HONE_TRY(const std::int64_t repeat, spec.repeat.evaluate(m_scope));
    if (repeat < 0 || repeat > k_most_launches - static_cast<std::int64_t>(out.size())) {
      return fail(fmt::format("'{}' is launched {} times; expected 0 to {} launches in all", spec.kernel, repeat,
                              k_most_launches),
                  {}, spec.place);
    }
    for (std::int64_t i = 0; i < repeat; ++i) {
      m_scope["repeat_index"] = i;
      HONE_TRY(ResolvedLaunch launch, resolve_once(spec));
      // A fill belongs to the launch as a whole: repeats build on what the ones before them left.
      if (i == 0 && !spec.fill_buffer.empty()) {
        launch.fills.push_back({argument(spec.fill_buffer), spec.fill_value});
      }
      out.push_back(std::move(launch));
    }
    return {};
  }

  Result<ResolvedLaunch> resolve_once(const LaunchSpec& spec)
  {
    ResolvedLaunch out;
    out.kernel = spec.kernel;
    HONE_CHECK(resolve_dimensions(spec, "grid", spec.grid, k_most_groups, out.grid));
    const auto most_items = m_scope.find("device.max_block");
    HONE_CHECK(resolve_dimensions(
      spec, "block", spec.block,
      most_items == m_scope.end() ? k_most_items : std::min(most_items->second, k_most_items), out.block));
    if (const auto most = m_scope.find("device.max_groups_y");
        most != m_scope.end() && std::max(out.grid[1], out.grid[2]) > most->second) {
      return fail(fmt::format("'{}' has {} x {} x {} groups; the device takes at most {} along y and z", spec.kernel,
                              out.grid[0], out.grid[1], out.grid[2], most->second),
                  "larger groups, or the long axis along x", spec.place);
    }
    HONE_CHECK(resolve_cluster(spec, out));
    HONE_TRY(out.shared_bytes, spec.shared.evaluate(m_scope));
    // Where more can be had by asking for it at the launch, the device says how much.
    auto fact = m_scope.find("device.dynamic_shared");
    fact = fact == m_scope.end() ? m_scope.find("device.shared_per_block") : fact;
    const std::int64_t limit = fact == m_scope.end() ? k_most_shared : fact->second;
    if (out.shared_bytes < 0 || out.shared_bytes > limit) {
      return fail(
        fmt::format("'{}' needs {} bytes of shared memory; expected 0 to {}", spec.kernel, out.shared_bytes, limit), {},
        spec.place);
    }
    for (const std::string& name : spec.args) {
      out.args.push_back(argument(name));
    }
    for (const std::string& name : spec.reduce) {
      out.reduce.push_back(argument(name));
    }
    return out;
  }

  Result<void> resolve_cluster(const LaunchSpec& spec, ResolvedLaunch& out)
  {
    const auto fact = m_scope.find("device.cluster");
    const std::int64_t most = fact == m_scope.end() ? 1 : std::max<std::int64_t>(fact->second, 1);
    HONE_CHECK(resolve_dimensions(spec, "cluster", spec.cluster, most, out.cluster));
    for (std::size_t i = 0; i < out.grid.size(); ++i) {
      if (out.grid[i] % out.cluster[i] != 0) {
        return fail(fmt::format("'{}' has {} groups along {}, no multiple of the cluster's {}", spec.kernel,
                                out.grid[i], "xyz"[i], out.cluster[i]),
                    "round the grid up: \"ceil_div(n, TILE * CLUSTER) * CLUSTER\"", spec.place);
      }
    }
    return {};
  }

  Result<void> resolve_dimensions(const LaunchSpec& spec, std::string_view what,
                                  const std::vector<PlanExpression>& expressions, std::int64_t most,
                                  std::array<std::int64_t, 3>& out)
  {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      HONE_TRY(out[i], expressions[i].evaluate(m_scope));
      if (out[i] < 1 || out[i] > most / product) {
        return fail(fmt::format("entry {} of the {} of '{}' is {} (from '{}'); expected at least 1, and at most {} for "
                                "all entries together",
                                i + 1, what, spec.kernel, out[i], expressions[i].text(), most),
                    {}, spec.place);
      }
      product *= out[i];
    }
    return {};
  }

  // make_candidate has checked that the name is one of these.
  ResolvedArgument argument(const std::string& name) const
  {
    for (std::size_t i = 0; i < m_kernel.arguments.size(); ++i) {
      if (m_kernel.arguments[i].name == name) {
        return {ResolvedArgument::Kind::tensor, i, 0};
      }
    }
    for (std::size_t i = 0; i < m_plan.scratch.size(); ++i) {
      if (m_plan.scratch[i].name == name) {
        return {ResolvedArgument::Kind::scratch, i, 0};
      }
    }
    for (std::size_t i = 0; i < m_plan.maps.size(); ++i) {
      if (m_plan.maps[i].name == name) {
        return {ResolvedArgument::Kind::map, i, 0};
      }
    }
    return {ResolvedArgument::Kind::integer, 0, m_scope.find(name)->second};
  }

  // Boxes are read and written within the map's sizes: it must not be larger than its tensor.
  Result<void> resolve_maps()
  {
    for (const MapSpec& spec : m_plan.maps) {
      ResolvedMap out;
      out.tensor = argument(spec.tensor);
      out.swizzle = spec.swizzle;
      std::int64_t elements = 0;
      if (out.tensor.kind == ResolvedArgument::Kind::scratch) {
        elements = m_out.scratch[out.tensor.position].elements;
      } else {
        Sizes sizes;
        for (const std::string& symbol : m_kernel.symbols) {
          sizes[symbol] = m_scope.at(symbol);
        }
        HONE_TRY(elements, elements_of(m_kernel.arguments[out.tensor.position], sizes));
      }
      std::int64_t product = 1;
      for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
        HONE_TRY(const std::int64_t size, spec.sizes[i].evaluate(m_scope));
        HONE_TRY(const std::int64_t box, spec.box[i].evaluate(m_scope));
        if (size < 1 || size > elements / product || box < 1 || box > k_most_box) {
          return fail(
            fmt::format("dimension {} of the map '{}' has {} elements and a box of {}; expected at most {} and {}", i,
                        spec.name, size, box, elements / product, k_most_box),
            {}, spec.place);
        }
        product *= size;
        out.sizes.push_back(size);
        out.box.push_back(box);
      }
      m_out.maps.push_back(std::move(out));
    }
    return {};
  }

  const Kernel& m_kernel;
  const LaunchPlan& m_plan;
  PlanScope m_scope;
  ResolvedPlan m_out;
};

// The point with defaults for what it leaves out; error for what the space does not have.
Result<TuningPoint> complete_point(const TuningSpace& space, const TuningPoint& point)
{
  TuningPoint out = space.defaults();
  for (const auto& [name, value] : point) {
    const auto parameter = std::ranges::find(space.parameters, name, &TuningParameter::name);
    if (parameter == space.parameters.end()) {
      return fail(fmt::format("the tuning point sets '{}', which the plan does not have", name));
    }
    if (std::ranges::find(parameter->values, value) == parameter->values.end()) {
      return fail(fmt::format("the tuning point sets {} = {}, which is not one of its values", name, value));
    }
    out[name] = value;
  }
  return out;
}

} // namespace

std::int64_t ResolvedPlan::groups() const
{
  std::int64_t all = 0;
  for (const ResolvedLaunch& launch : launches) {
    all += launch.groups();
  }
  return all;
}

ResolvedPlan preparation_of(const ResolvedPlan& plan)
{
  return {plan.scratch, plan.maps, plan.preparation, {}, true};
}

PlanScope plan_scope(const Sizes& sizes, const TuningPoint& point, const PlanScope& device_facts)
{
  PlanScope out = device_facts;
  for (const auto& [name, value] : sizes) {
    out[name] = value;
  }
  for (const auto& [name, value] : point) {
    out[name] = value;
  }
  return out;
}

Result<bool> satisfies_constraints(const TuningSpace& space, const PlanScope& scope, std::string* reason)
{
  for (const PlanExpression& constraint : space.constraints) {
    const std::vector<std::string> names = constraint.names();
    // `shared` is known only once the launches are: resolve_plan asks again with it.
    if (!scope.contains("shared") && std::ranges::find(names, "shared") != names.end()) {
      continue;
    }
    HONE_TRY(const std::int64_t holds, constraint.evaluate(scope));
    if (holds == 0) {
      if (reason != nullptr) {
        *reason = fmt::format("the constraint '{}' does not hold", constraint.text());
      }
      return false;
    }
  }
  return true;
}

Result<ResolvedPlan> resolve_plan(const Kernel& kernel, const Candidate& candidate, const Sizes& sizes,
                                  const TuningPoint& point, const PlanScope& device_facts)
{
  HONE_TRY(const TuningPoint whole, complete_point(candidate.plan.tuning, point));
  for (const std::string& symbol : kernel.symbols) {
    if (!sizes.contains(symbol)) {
      return fail(fmt::format("the size '{}' has no value", symbol));
    }
  }
  return PlanResolver(kernel, candidate.plan, plan_scope(sizes, whole, device_facts)).run();
}

} // namespace hone::kernel
