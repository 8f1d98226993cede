// random_ptx N SEED: random small programs of PTX on the emulated device, every register of every thread compared with
// what the PTX ISA says (the folder oracle, which shares nothing with the emulator). `random_ptx text` prints a
// program for each instruction, by which ptxas can tell whether the catalogue names any that do not exist.
//
// Finds: an instruction that is executed in another way than the ISA says, or not at all, in any of its modes, types
// and roundings; a result that reaches the wrong register, lane or element.
#include "emulate/emulate.h"
#include "oracle/random_program.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace {

using namespace hone;
using oracle::Drawn;
using oracle::Step;
using oracle::Values;

constexpr std::uint64_t k_most_instructions = 1'000'000;

// What the emulator says.

struct Emulated {
  Values values;
  std::string wrong; // other than values
  bool unsupported = false;
};

Emulated emulated(const Drawn& program)
{
  Emulated out;
  const Result<emulate::Program> loaded = emulate::Program::load(text_of(program));
  if (!loaded) {
    out.wrong = loaded.error().text();
    return out;
  }
  const std::size_t slice = program.registers.size(), words = slice * program.threads;
  emulate::GlobalMemory memory;
  const std::uintptr_t from = memory.allocate(8 * words), to = memory.allocate(8 * words);
  auto* const start = reinterpret_cast<std::uint64_t*>(from);
  for (std::size_t i = 0; i < words; ++i) {
    start[i] = program.registers[i % slice].values[i / slice];
  }
  std::memset(reinterpret_cast<void*>(to), 0, 8 * words);
  emulate::LaunchRequest request;
  request.program = &*loaded;
  request.entry = "f";
  request.block[0] = static_cast<std::uint32_t>(program.threads);
  request.most_instructions = k_most_instructions;
  request.parameters.resize(16);
  std::memcpy(request.parameters.data(), &from, 8);
  std::memcpy(request.parameters.data() + 8, &to, 8);
  const emulate::LaunchResult result = emulate::launch(request, memory);
  for (const emulate::Finding& finding : result.findings) {
    out.unsupported = out.unsupported || finding.kind == emulate::FindingKind::unsupported;
    out.wrong += finding.text + "\n";
  }
  if (out.wrong.empty() && !result.finished) {
    out.wrong = "it did not come to its end";
  }
  const auto* const end = reinterpret_cast<const std::uint64_t*>(to);
  out.values.resize(slice);
  for (std::size_t i = 0; i < words; ++i) {
    out.values[i % slice][i / slice] = end[i];
  }
  return out;
}

struct Difference {
  int number = -1, thread = 0; // of a register
};

Difference difference(const Drawn& program, const Values& wanted, const Values& got)
{
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const oracle::Register& one = program.registers[i];
    for (int thread = 0; thread < program.threads; ++thread) {
      if (!oracle::same(one.slack, one.held, wanted[i][thread], got[i][thread])) {
        return {static_cast<int>(i), thread};
      }
    }
  }
  return {};
}

std::string report(const Drawn& program, const Values& wanted, const Values& got, const Difference& where)
{
  std::string out = fmt::format("{} of thread {} is {:#x}, not {:#x}\n", name_of(program, where.number), where.thread,
                                got[where.number][where.thread], wanted[where.number][where.thread]);
  for (const Step& step : program.steps) {
    for (const oracle::Operand& operand : step.inputs) {
      if (operand.number >= 0 && program.steps.size() == 1) {
        out += fmt::format("  {} = {:#x}\n", name_of(program, operand.number),
                           program.registers[operand.number].values[where.thread]);
      }
    }
  }
  return out;
}

// "": as it must be. The names of what is not supported are put aside.
std::string wrong_in(const Drawn& drawn, std::set<std::string>& unsupported, int& reduced)
{
  Drawn program = without(drawn, unsupported);
  Emulated got = emulated(program);
  if (got.unsupported) {
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if (program.steps[i].skipped == 0 && emulated(only(program, i)).unsupported) {
        unsupported.insert(program.steps[i].operation->name);
      }
    }
    program = without(drawn, unsupported);
    got = emulated(program);
  }
  reduced += program.steps.size() < drawn.steps.size() ? 1 : 0;
  if (!got.wrong.empty()) {
    return text_of(program) + got.wrong;
  }
  const Values wanted = expected(program, program.steps.size());
  const Difference where = difference(program, wanted, got.values);
  if (where.number < 0) {
    return "";
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (program.steps[i].skipped != 0) {
      continue;
    }
    const Drawn one = only(program, i);
    const Values wanted_of_one = expected(one, 1);
    const Emulated got_of_one = emulated(one);
    if (const Difference first = difference(one, wanted_of_one, got_of_one.values); first.number >= 0) {
      return text_of(one, one.steps[0]) + "\n" + text_of(one) + report(one, wanted_of_one, got_of_one.values, first);
    }
  }
  return "no instruction alone, but all together:\n" + text_of(program) + report(program, wanted, got.values, where);
}

} // namespace

int main(int count, char** words)
{
  const oracle::Operations operations = oracle::all_operations();
  if (count == 2 && std::string_view(words[1]) == "text") {
    oracle::Drawer drawer(operations, 1);
    for (const oracle::Operation& operation : operations) {
      fmt::print("// {}\n{}", operation.name, text_of(drawer.program_of(operation)));
    }
    return 0;
  }
  if (count != 3) {
    fmt::print("random_ptx N SEED\n");
    return 2;
  }
  const std::uint64_t programs = std::stoull(words[1]), seed = std::stoull(words[2]);
  oracle::Drawer drawer(operations, seed);
  std::set<std::string> unsupported;
  int failed = 0, reduced = 0;
  std::size_t steps = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    const Drawn program = drawer.program();
    steps += program.steps.size();
    const std::string wrong = wrong_in(program, unsupported, reduced);
    if (!wrong.empty()) {
      ++failed;
      fmt::print("program {} of seed {}: {}\n", i, seed, wrong);
    }
  }
  for (const std::string& name : unsupported) {
    fmt::print("not supported: {}\n", name);
  }
  fmt::print("{} programs of {} steps, drawn from {} instructions: {} wrong, {} without what is not supported\n",
             programs, steps, operations.size(), failed, reduced);
  return failed == 0 && unsupported.empty() ? 0 : 1;
}
