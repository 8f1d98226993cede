// How many cycles a round of the hot loop takes by llvm-mca's model of a processor, and what bounds it.
#include "tools/mca.h"
#include "tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tools {
namespace {

class Ports final : public Tool {
public:
  std::string_view name() const override { return "ports"; }
  std::string_view summary() const override
  {
    return "Cycles of a round of the hot loop by llvm-mca's model of the processor: ports or the chain of "
           "dependencies.";
  }
  std::vector<ToolArgument> arguments() const override
  {
    return {{"cpu",
             ArgumentType::text,
             "The processor, as LLVM calls it (znver4, sapphirerapids); native: this one.",
             "native",
             {}}};
  }

  Result<void> check(const Bench& bench) const override
  {
    if (bench.backend().name() != "cpu") {
      return fail("ports looks at code for CPUs", "`instructions` looks at that of GPUs");
    }
    return find_mca() ? Result<void>() : fail("llvm-mca is not installed", "apt-get install llvm-19");
  }

  Result<Report> run(Bench& bench, const Json& arguments) const override
  {
    HONE_TRY(const HotLoop hot, bench.hot_loop());
    Report report;
    if (hot.loop == nullptr) {
      report.diagnosis.emplace_back("there is no loop in the code: nothing to look at");
      return report;
    }
    const auto cpu = arguments.at("cpu").get<std::string>();
    HONE_TRY(const McaResult result, run_mca(text_of(*hot.function, *hot.loop), cpu, bench.spec().stop));
    describe(report, result, lines_of(*hot.function, *hot.loop));
    report.notes.push_back(fmt::format("modelled by {} for {}: all loads hit the first-level cache, branches are "
                                       "predicted",
                                       *find_mca(), result.cpu));
    return report;
  }

private:
  static void describe(Report& report, const McaResult& result, const std::string& lines)
  {
    const double chain = result.cycles / std::max(result.throughput_cycles, 1e-9);
    if (chain > k_chain_bound) {
      std::string by;
      for (const std::string& one : result.critical) {
        by += (by.empty() ? "" : " -> ") + one;
      }
      report.diagnosis.push_back(fmt::format(
        "the loop at {} waits for its own results: a round takes {:.1f} cycles where the ports need {:.1f}{}", lines,
        result.cycles, result.throughput_cycles, by.empty() ? "" : "; the chain: " + by));
      report.diagnosis.emplace_back(
        "independent sums or rounds side by side (more accumulators, unrolling) would help");
    } else if (!result.ports.empty()) {
      report.diagnosis.push_back(fmt::format("the loop at {} is bound by the ports: {:.1f} cycles a round, the busiest "
                                             "is {} with {:.1f}",
                                             lines, result.cycles, result.ports.front().first,
                                             result.ports.front().second));
    }
    report.values = {{"cycles of a round", result.cycles, ""},
                     {"cycles that the ports need", result.throughput_cycles, ""},
                     {"instructions a cycle", result.ipc, ""}};
    Table table{"busiest resources", {{"resource", ""}, {"cycles of a round", ""}}, {}};
    for (const auto& [name, cycles] : result.ports) {
      table.rows.push_back({name, cycles});
    }
    report.tables.push_back(std::move(table));
  }
};

} // namespace

const Tool& ports_tool()
{
  static const Ports tool;
  return tool;
}

} // namespace hone::tools
