// How far a candidate is from what the device can do: arithmetic and bandwidth by the measured ceilings.
#include "tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tools {
namespace {

class Roofline final : public Tool {
public:
  std::string_view name() const override { return "roofline"; }
  std::string_view summary() const override
  {
    return "Measured time of a call against the device's ceilings of arithmetic and bandwidth, cold and hot.";
  }
  bool is_deterministic() const override { return false; }

  Result<void> check(const Bench& bench) const override
  {
    if (!bench.backend().capabilities().times) {
      return fail("nothing is timed here: the device is emulated", "`memory` counts what moves without timing");
    }
    if (const auto work = kernel::work_of(bench.kernel(), bench.spec().recipe.sizes); !work || work->total() <= 0) {
      return fail("the work of this kernel is not known: its expression does not say it",
                  "`instructions` and `memory` look at the code itself");
    }
    return {};
  }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    HONE_TRY(const gate::Ceilings* ceilings, bench.ceilings());
    HONE_TRY(const record::Verdict* verdict, bench.timed());
    HONE_TRY(const kernel::Work work, kernel::work_of(bench.kernel(), bench.spec().recipe.sizes));
    Report report;
    Table table{"regimes",
                {{"data", ""},
                 {"time", "us", true},
                 {"rate", "GFLOP/s", true},
                 {"moved", "GB/s", true},
                 {"roof", "us", true},
                 {"reached", "%", true},
                 {"bound by", "", true}},
                {}};
    for (const auto& [regime, time] :
         {std::pair{record::Regime::cold, verdict->cold}, {record::Regime::hot, verdict->hot}}) {
      if (!time) {
        continue;
      }
      const gate::Roof roof =
        gate::roof_of(bench.kernel(), bench.spec().recipe.sizes, *ceilings, bench.spec().recipe.threads, regime);
      const double seconds = time->median;
      const std::string bound = roof.level.empty() ? "arithmetic" : "bandwidth of " + roof.level;
      table.rows.push_back({std::string(record::name_of(regime)), 1e6 * seconds, work.flops / seconds / 1e9,
                            work.compulsory_bytes / seconds / 1e9, 1e6 * roof.seconds, 100 * roof.seconds / seconds,
                            bound});
      report.add_measured(
        fmt::format("{}: {:.0f} % of what {} allows", record::name_of(regime), 100 * roof.seconds / seconds, bound));
    }
    report.tables.push_back(std::move(table));
    report.values = {{"operations of a call", work.flops, ""},
                     {"bytes that a call must move", work.compulsory_bytes, "B"},
                     {"operations for each byte", work.flops / std::max(work.compulsory_bytes, 1.0), ""}};
    report.notes.push_back("ceilings: " + ceilings->method);
    report.notes.emplace_back("timed once, against itself: `hone compare` gives ratios with their interval");
    return report;
  }
};

} // namespace

const Tool& roofline_tool()
{
  static const Roofline tool;
  return tool;
}

} // namespace hone::tools
