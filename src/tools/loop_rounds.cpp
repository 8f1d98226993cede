#include "tools/loop_rounds.h"

#include "tools/instruction_mix.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace hone::tools {
namespace {

bool accesses_memory(const Instruction& one)
{
  return one.operands.contains('(') && !one.opcode.starts_with("lea") && !one.opcode.starts_with("nop")
         && !one.opcode.starts_with("prefetch");
}

} // namespace

double rounds_of(const HotLoop& loop, const backend::AccessCounts& counts)
{
  if (loop.loop == nullptr) {
    return 0;
  }
  std::set<std::pair<std::string, int>> lines;
  double each = 0, all = 0;
  for (const std::size_t i : loop.loop->instructions) {
    const Instruction& one = loop.function->instructions[i];
    if (accesses_memory(one)) {
      lines.emplace(one.file, one.line);
      each += 1;
    }
  }
  for (const backend::AccessSite& site : counts.sites) {
    all += lines.contains({site.file, site.line}) ? static_cast<double>(site.accesses()) : 0;
  }
  return each > 0 ? all / each : 0;
}

HotLoop hot_loop(const Listing& listing, const backend::AccessCounts& counts)
{
  const HotLoop by_code = hot_loop(listing);
  if (listing.syntax != backend::ListingSyntax::x86 || !counts.has_lines || rounds_of(by_code, counts) == 0) {
    return by_code;
  }
  HotLoop best = by_code;
  std::tuple<double, int> most{};
  for (const Function& function : listing.functions) {
    for (const Loop& loop : function.loops) {
      InstructionMix mix;
      mix.add(function, loop, listing.syntax);
      const HotLoop one{&function, &loop};
      const std::tuple<double, int> weight{rounds_of(one, counts) * mix.arithmetic_with_calls(), mix.vector_bytes};
      if (loop.innermost && weight > most) {
        most = weight;
        best = one;
      }
    }
  }
  return best;
}

} // namespace hone::tools
