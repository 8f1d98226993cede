// The mix of instructions, and the innermost loop that does most of the arithmetic.
#include "tools/instruction_mix.h"
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <set>

namespace hone::tools {
namespace {

constexpr double k_few = 0.5; // arithmetic instructions of a loop for each that moves data

// "expf, logf"
std::string called_in(const HotLoop& hot)
{
  std::set<std::string> names;
  for (const std::size_t i : hot.loop->instructions) {
    const Instruction& one = hot.function->instructions[i];
    if (one.opcode.starts_with("call")) {
      names.insert(one.operands);
    }
  }
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

class Instructions final : public Tool {
public:
  std::string_view name() const override { return "instructions"; }
  std::string_view summary() const override
  {
    return "The mix of instructions, and the text of the innermost loop that does most of the arithmetic.";
  }
  std::vector<ToolArgument> arguments() const override
  {
    return {{"lines", ArgumentType::integer, "How many lines of the loop's assembly to show.", 24, {}}};
  }

  Result<Report> run(Bench& bench, const Json& arguments) const override
  {
    HONE_TRY(const CompiledText* code, bench.compiled_text());
    const Listing& listing = code->listing;
    Report report;
    InstructionMix all;
    for (const Function& function : listing.functions) {
      all.add(function, listing.syntax);
    }
    HONE_TRY(const HotLoop hot, bench.hot_loop());
    InstructionMix loop;
    if (hot.loop != nullptr) {
      loop.add(*hot.function, *hot.loop, listing.syntax);
      describe(report, hot, loop, listing.syntax);
    } else {
      report.diagnosis.emplace_back("there is no loop in the code: each item runs it once from top to bottom");
    }
    add_mix(report, loop, all, hot.loop != nullptr);
    add_text(report, hot, arguments.at("lines").get<std::int64_t>());
    return report;
  }

private:
  static void describe(Report& report, const HotLoop& hot, const InstructionMix& mix, backend::ListingSyntax syntax)
  {
    std::string vectors;
    if (syntax == backend::ListingSyntax::x86) {
      vectors = mix.vector_bytes > 0 ? fmt::format(" in vectors of {} B", mix.vector_bytes) : ", none in vectors";
    }
    report.diagnosis.push_back(fmt::format("the loop at {} ({}) has {} instructions: {} of arithmetic{}, {} that move "
                                           "data to and from memory, {} others",
                                           lines_of(*hot.function, *hot.loop), hot.function->name, mix.total(),
                                           mix.arithmetic(), vectors, mix.memory(),
                                           mix.total() - mix.arithmetic() - mix.memory()));
    if (syntax == backend::ListingSyntax::x86 && mix.of(InstructionClass::scalar_arithmetic) > 0
        && mix.of(InstructionClass::fused_multiply) + mix.of(InstructionClass::arithmetic) == 0) {
      report.diagnosis.emplace_back("its arithmetic is scalar: one number an instruction");
    }
    if (mix.arithmetic() > 0 && mix.arithmetic() < k_few * mix.memory()) {
      report.diagnosis.push_back(fmt::format("it moves {:.1f} values for each operation: reuse in registers would help",
                                             static_cast<double>(mix.memory()) / mix.arithmetic()));
    }
    if (mix.of(InstructionClass::call) > 0) {
      report.diagnosis.push_back(
        fmt::format("it calls functions, {} in each round: {}", mix.of(InstructionClass::call), called_in(hot)));
    }
    for (const InstructionClass what : {InstructionClass::special, InstructionClass::gather, InstructionClass::stack}) {
      if (mix.of(what) > 0) {
        report.diagnosis.push_back(fmt::format("{} of its instructions are slow: {}", mix.of(what), name_of(what)));
      }
    }
  }

  static void add_mix(Report& report, const InstructionMix& loop, const InstructionMix& all, bool has_loop)
  {
    Table table{"instructions", {{"class", ""}, {"loop", ""}, {"all code", ""}}, {}};
    for (const InstructionClass what : all_instruction_classes()) {
      if (all.of(what) > 0) {
        table.rows.push_back(
          {std::string(name_of(what)), std::int64_t{has_loop ? loop.of(what) : 0}, std::int64_t{all.of(what)}});
      }
    }
    report.tables.push_back(std::move(table));
  }

  static void add_text(Report& report, const HotLoop& hot, std::int64_t lines)
  {
    if (hot.loop == nullptr || lines <= 0) {
      return;
    }
    Table table{"loop", {{"line", ""}, {"instruction", ""}}, {}};
    for (const std::size_t i : hot.loop->instructions) {
      const Instruction& one = hot.function->instructions[i];
      table.rows.push_back(
        {one.line > 0 ? fmt::format("{}:{}", one.file, one.line) : "", fmt::format("{} {}", one.opcode, one.operands)});
      if (std::ssize(table.rows) == lines) {
        break;
      }
    }
    report.tables.push_back(std::move(table));
  }
};

} // namespace

const Tool& instructions_tool()
{
  static const Instructions tool;
  return tool;
}

} // namespace hone::tools
