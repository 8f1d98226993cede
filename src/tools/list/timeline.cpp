// The launches of a call in order: what each is, how much it runs, what it is given.
#include "tools/share.h"
#include "tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace hone::tools {
namespace {

std::string extents_text(const std::array<std::int64_t, 3>& extents)
{
  return extents[2] > 1   ? fmt::format("{} x {} x {}", extents[0], extents[1], extents[2])
         : extents[1] > 1 ? fmt::format("{} x {}", extents[0], extents[1])
                          : fmt::format("{}", extents[0]);
}

using Kind = kernel::ResolvedArgument::Kind;

struct Given {
  std::string names;
  std::int64_t bytes = 0; // of all buffers, each once
};

class Timeline final : public Tool {
public:
  std::string_view name() const override { return "timeline"; }
  std::string_view summary() const override
  {
    return "The launches of a call in order: grid, block, the bytes of the buffers that each is given, and fills.";
  }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    HONE_TRY(const gate::BuiltCandidate* built, bench.built());
    const kernel::ResolvedPlan& plan = built->plan;
    Report report;
    Table table{"launches",
                {{"number", ""},
                 {"kernel", ""},
                 {"grid", "groups"},
                 {"block", "items"},
                 {"shared", "B per group"},
                 {"buffers", ""},
                 {"given", "B"},
                 {"of all", "%"}},
                {}};
    std::int64_t all = 0, groups = 0, scratch = 0;
    std::vector<Given> given;
    for (const kernel::ResolvedLaunch& launch : plan.launches) {
      HONE_TRY(given.emplace_back(), given_to(bench, *built, launch));
      all += given.back().bytes;
      groups += launch.groups();
    }
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      const kernel::ResolvedLaunch& launch = plan.launches[i];
      table.rows.push_back({static_cast<std::int64_t>(i + 1), launch.kernel, extents_text(launch.grid),
                            extents_text(launch.block), launch.shared_bytes, given[i].names, given[i].bytes,
                            100 * share(given[i].bytes, all)});
    }
    for (const kernel::ResolvedScratch& one : plan.scratch) {
      scratch += static_cast<std::int64_t>(one.bytes());
    }
    report.diagnosis.push_back(fmt::format("{} launch{} of {} groups in all", plan.launches.size(),
                                           plan.launches.size() == 1 ? "" : "es", groups));
    if (plan.launches.size() > 1 && scratch > 0) {
      report.diagnosis.push_back(
        fmt::format("{} B go from launch to launch through scratch: fused launches would keep them", scratch));
    }
    if (!plan.preparation.empty()) {
      report.diagnosis.push_back(
        fmt::format("{} further launches lay weights out ahead of the call", plan.preparation.size()));
    }
    report.tables.push_back(std::move(table));
    report.notes.emplace_back("launches are not timed one by one here; `hone profile --import` reads the timelines of "
                              "nsys and rocprofv3");
    return report;
  }

private:
  static Result<Given> given_to(const Bench& bench, const gate::BuiltCandidate& built,
                                const kernel::ResolvedLaunch& launch)
  {
    Given given;
    std::set<std::string> seen;
    for (const kernel::ResolvedArgument& argument : launch.args) {
      if (argument.kind == Kind::integer) {
        continue;
      }
      const kernel::ResolvedArgument& of =
        argument.kind == Kind::map ? built.plan.maps[argument.position].tensor : argument;
      std::string name;
      std::int64_t bytes = 0;
      if (of.kind == Kind::scratch) {
        name = built.plan.scratch[of.position].name;
        bytes = static_cast<std::int64_t>(built.plan.scratch[of.position].bytes());
      } else {
        const kernel::Argument& tensor = bench.kernel().arguments[of.position];
        HONE_TRY(const std::int64_t elements, kernel::elements_of(tensor, built.sizes));
        name = tensor.name;
        bytes = elements * static_cast<std::int64_t>(kernel::size_of(tensor.type));
      }
      if (seen.insert(name).second) {
        given.names += (given.names.empty() ? "" : " ") + name;
        given.bytes += bytes;
      }
    }
    return given;
  }
};

} // namespace

const Tool& timeline_tool()
{
  static const Timeline tool;
  return tool;
}

} // namespace hone::tools
