// What the processor's own counters say of a call, where the machine lets anybody read them.
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hone::tools {
namespace {

using Events = std::vector<gate::EventCounts::Event>;

std::optional<double> per_call(const Events& events, std::string_view name)
{
  const auto found = std::ranges::find(events, name, &gate::EventCounts::Event::name);
  return found == events.end() || found->counted <= 0 ? std::nullopt : std::optional(found->per_call);
}

// "X of Y" as a percentage, where both were counted.
void add_share(Report& report, const Events& events, std::string_view part, std::string_view whole,
               std::string_view sentence)
{
  const auto some = per_call(events, part), all = per_call(events, whole);
  if (some && all && *all > 0) {
    report.add_measured(fmt::format("{:.2f} % {}", 100 * *some / *all, sentence));
  }
}

class Counters final : public Tool {
public:
  std::string_view name() const override { return "counters"; }
  std::string_view summary() const override
  {
    return "The processor's own counters of a call (cycles, instructions, misses, page faults), as `perf stat` has "
           "them, "
           "where this machine shows them.";
  }
  bool is_deterministic() const override { return false; }

  Result<void> check(const Bench& bench) const override
  {
    const backend::Capabilities capabilities = bench.backend().capabilities();
    return capabilities.times && capabilities.host_ceilings
             ? Result<void>()
             : fail("the kernel does not run on this machine's processor",
                    "`memory` counts on the emulated device; `hone profile --import` reads ncu's and rocprof's files");
  }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    HONE_TRY(const gate::EventCounts counts,
             bench.gate().count_events(bench.spec().subject.contender, bench.spec().recipe, bench.spec().seed));
    Report report;
    describe(report, counts.events);
    Table table{"events", {{"event", ""}, {"a call", "", true}, {"counted", "% of the time", true}}, {}};
    for (const gate::EventCounts::Event& event : counts.events) {
      table.rows.push_back(
        {event.name == "task-clock" ? "task-clock, ns" : event.name, event.per_call, 100 * event.counted});
    }
    report.tables.push_back(std::move(table));
    report.values = {{"calls", std::int64_t{counts.calls}, "", true},
                     {"time of a call", 1e6 * counts.seconds_per_call, "us", true}};
    if (!counts.refused.empty()) {
      report.notes.push_back(fmt::format("not counted: {} ({})", join(counts.refused, ", "), counts.reason));
    }
    report.notes.emplace_back(
      "calls in a row on the same data: what fits into a cache is there; user code of all threads");
    report.notes.emplace_back("a count is scaled where its event had a counter for a part of the time only");
    return report;
  }

private:
  static void describe(Report& report, const Events& events)
  {
    const auto cycles = per_call(events, "cycles"), instructions = per_call(events, "instructions");
    if (cycles && instructions && *cycles > 0) {
      report.add_measured(fmt::format("{:.2f} instructions a cycle", *instructions / *cycles));
    }
    add_share(report, events, "branch-misses", "branches", "of the branches are predicted wrong");
    add_share(report, events, "L1-dcache-load-misses", "L1-dcache-loads", "of the loads miss the first-level cache");
    add_share(report, events, "cache-misses", "cache-references",
              "of the references to the last cache that is counted miss it");
    if (const auto faults = per_call(events, "page-faults"); faults) {
      report.add_measured(fmt::format("{:.1f} page faults a call", *faults));
    }
    if (!cycles && !instructions) {
      report.diagnosis.emplace_back("this machine shows no counters of its processor: `explain`, `memory` and `ports` "
                                    "count without them");
    }
  }
};

} // namespace

const Tool& counters_tool()
{
  static const Counters tool;
  return tool;
}

} // namespace hone::tools
