// What the compiler did: loops vectorised or not and why, registers, spills, local memory, occupancy.
#include "tools/instruction_class.h"
#include "tools/remarks.h"
#include "tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tools {
namespace {

struct StackUse {
  std::int64_t loads = 0, stores = 0;
};

StackUse stack_use(const Function& function, const Loop& loop, backend::ListingSyntax syntax)
{
  StackUse use;
  for (const std::size_t i : loop.instructions) {
    const Instruction& one = function.instructions[i];
    if (class_of(one, syntax) == InstructionClass::stack) {
      const bool stores = one.opcode.starts_with("push") || one.opcode.starts_with("st")
                          || one.opcode.contains("_store") || one.operands.ends_with(')');
      ++(stores ? use.stores : use.loads);
    }
  }
  return use;
}

std::string resources_text(const backend::CodeResources& one)
{
  std::string text = fmt::format("{} takes {} registers an item", one.kernel, one.registers);
  if (one.local_bytes > 0) {
    text += fmt::format(" and {} B of local memory a group", one.local_bytes);
  }
  text += fmt::format(": {:.0f} % of the items that a unit can hold reside on it", 100 * one.occupancy);
  if (one.spilled_bytes > 0) {
    text += fmt::format("; {} B an item do not fit into registers and are spilled", one.spilled_bytes);
  }
  return text;
}

class CompileReport final : public Tool {
public:
  std::string_view name() const override { return "compile-report"; }
  std::string_view summary() const override
  {
    return "What the compiler did: loops vectorised or not and why, registers, spills, local memory, occupancy.";
  }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    HONE_TRY(const CompiledText* code, bench.compiled_text());
    const Listing& listing = code->listing;
    HONE_TRY(const gate::BuiltCandidate* built, bench.built());
    Report report;
    add_loops(report, loop_remarks(code->remarks));
    HONE_TRY(const HotLoop hot, bench.hot_loop());
    add_hot_loop(report, hot, listing);
    add_resources(report, bench.backend().resources(bench.build_input(*built), code->printed));
    if (listing.syntax == backend::ListingSyntax::x86) {
      report.values.push_back({"code and constants", static_cast<std::int64_t>(built->module.image.size()), "B"});
    }
    return report;
  }

private:
  static void add_loops(Report& report, const std::vector<LoopRemark>& loops)
  {
    if (loops.empty()) {
      return;
    }
    const auto vectorised = std::ranges::count_if(loops, [](const LoopRemark& one) { return one.vector_bytes > 0; });
    report.diagnosis.push_back(fmt::format("{} of {} loops are vectorised", vectorised, loops.size()));
    Table table{"loops", {{"line", ""}, {"vectors", "B"}, {"what the compiler says", ""}}, {}};
    for (const LoopRemark& one : loops) {
      table.rows.push_back({one.place, std::int64_t{one.vector_bytes}, one.text});
    }
    report.tables.push_back(std::move(table));
  }

  static void add_hot_loop(Report& report, const HotLoop& hot, const Listing& listing)
  {
    if (hot.loop == nullptr) {
      return;
    }
    const StackUse use = stack_use(*hot.function, *hot.loop, listing.syntax);
    const std::string lines = lines_of(*hot.function, *hot.loop);
    if (use.loads + use.stores > 0) {
      report.diagnosis.push_back(
        fmt::format("the innermost loop at {} loads {} and stores {} values on the stack in each "
                    "round: its registers do not suffice",
                    lines, use.loads, use.stores));
    } else {
      report.diagnosis.push_back(fmt::format("the innermost loop at {} keeps all its values in registers", lines));
    }
  }

  static void add_resources(Report& report, const std::vector<backend::CodeResources>& resources)
  {
    if (resources.empty()) {
      return;
    }
    Table table{"kernels",
                {{"kernel", ""},
                 {"registers", "per item"},
                 {"spilled", "B per item"},
                 {"local memory", "B per group"},
                 {"occupancy", "%"}},
                {}};
    for (const backend::CodeResources& one : resources) {
      report.diagnosis.push_back(resources_text(one));
      table.rows.push_back({one.kernel, std::int64_t{one.registers}, std::int64_t{one.spilled_bytes},
                            std::int64_t{one.local_bytes}, 100 * one.occupancy});
    }
    report.tables.push_back(std::move(table));
  }
};

} // namespace

const Tool& compile_report_tool()
{
  static const CompileReport tool;
  return tool;
}

} // namespace hone::tools
