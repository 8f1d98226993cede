// What bounds a candidate, with the evidence of the other tools, and which transformations address it.
#include "backend/access_counter.h"
#include "tools/bottlenecks.h"
#include "tools/cost_model.h"
#include "tools/guesses.h"
#include "tools/instruction_mix.h"
#include "tools/mca.h"
#include "tools/share.h"
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace hone::tools {
namespace {

constexpr std::size_t k_most_sentences = 4;

void add_code(CandidateFacts& facts, const Listing& listing, const HotLoop& hot, const BenchSpec& spec, Report& report)
{
  if (hot.loop == nullptr) {
    return;
  }
  InstructionMix mix;
  mix.add(*hot.function, *hot.loop, listing.syntax);
  facts.lines = lines_of(*hot.function, *hot.loop);
  facts.arithmetic = mix.arithmetic();
  facts.memory = mix.memory();
  facts.calls = mix.of(InstructionClass::call);
  for (const std::size_t i : hot.loop->instructions) {
    const std::string& opcode = hot.function->instructions[i].opcode;
    facts.divisions += opcode.contains("div") || (opcode.contains("sqrt") && !opcode.contains("rsqrt")) ? 1 : 0;
  }
  facts.gathers = mix.of(InstructionClass::gather);
  facts.others = mix.total() - facts.arithmetic - facts.memory;
  const bool x86 = listing.syntax == backend::ListingSyntax::x86;
  facts.guesses = x86 ? data_branches(*hot.function, *hot.loop) : 0;
  // As many as a processor begins in a cycle, where nothing models it.
  facts.cycles = facts.port_cycles = mix.total() / 4.0;
  facts.port = "the front end";
  facts.scalar = x86 && mix.of(InstructionClass::scalar_arithmetic) > 0
                 && mix.of(InstructionClass::fused_multiply) + mix.of(InstructionClass::arithmetic) == 0;
  if (!x86 || !find_mca()) {
    report.notes.emplace_back(x86 ? "llvm-mca is not installed: chains of dependencies were not looked at (apt-get "
                                    "install llvm-19)"
                                  : "chains of dependencies are looked at on the cpu backend only");
    return;
  }
  if (const auto mca = run_mca(text_of(*hot.function, *hot.loop), "native", spec.stop)) {
    facts.cycles = mca->cycles;
    facts.port_cycles = mca->throughput_cycles;
    facts.chain = join(mca->critical, " -> ");
    facts.port = mca->ports.empty() ? facts.port : mca->ports.front().first;
  } else {
    report.notes.push_back(mca.error().message);
  }
}

std::string name_of(const backend::AccessSite& site)
{
  return fmt::format("{} at {}", site.memory == backend::MemoryKind::buffer ? site.buffer : name_of(site.memory),
                     site.line > 0 ? fmt::format("{}:{}", site.file, site.line) : "?");
}

CandidateFacts::Site site_of(const backend::AccessSite& from)
{
  CandidateFacts::Site site;
  site.what = name_of(from);
  site.stride = from.stride ? from.stride->bytes : 0;
  site.usual_stride = from.stride ? from.stride->share : 1; // a single access
  const std::int64_t misses = from.misses.empty() ? 0 : from.misses[0].all();
  site.bytes_of_line =
    static_cast<double>(from.bytes_loaded + from.bytes_stored) / static_cast<double>(std::max<std::int64_t>(misses, 1));
  const bool prefetched = site.usual_stride >= k_usual_stride && std::llabs(site.stride) < k_longest_prefetched_step;
  for (std::size_t i = 0; i < from.misses.size(); ++i) {
    const std::int64_t deeper = i + 1 < from.misses.size() ? from.misses[i + 1].all() : 0;
    const auto lines = static_cast<double>(std::max<std::int64_t>(from.misses[i].all() - deeper, 0));
    const LineCost cost = line_cost(i, from.misses.size());
    const double conflicts = lines * share(from.misses[i].conflicts, from.misses[i].all()) * cost.missed;
    const double cycles =
      lines * (1 - share(from.misses[i].conflicts, from.misses[i].all())) * (prefetched ? cost.streamed : cost.missed)
      + conflicts;
    site.cycles += cycles;
    site.conflicts += conflicts;
    site.memory_cycles += i + 1 == from.misses.size() ? cycles : 0;
  }
  site.crossings = static_cast<double>(from.line_crossings);
  site.page_misses = static_cast<double>(from.page_misses);
  site.page_walks = static_cast<double>(from.page_walks);
  site.contested = static_cast<double>(from.contested);
  return site;
}

void add_accesses(CandidateFacts& facts, const backend::AccessCounts& counts)
{
  facts.stack_share = share(counts.stack.accesses(), counts.total.accesses());
  facts.accesses = static_cast<double>(counts.total.accesses());
  if (counts.of_warps) {
    facts.warp_instructions = static_cast<double>(counts.total.warps.instructions);
    facts.warp_items = static_cast<double>(counts.total.warps.items);
    for (const backend::AccessSite& one : counts.sites) {
      const backend::WarpNumbers& warps = one.warps;
      const auto number = [](std::int64_t value) { return static_cast<double>(value); };
      facts.warp_sites.push_back(
        {one.line > 0 && warps.requests + warps.turns == 0 ? fmt::format("{}:{}", one.file, one.line) : name_of(one),
         number(warps.sectors), number(warps.least_sectors), one.misses.empty() ? 0 : number(32 * one.misses[0].all()),
         number(warps.turns), number(warps.least_turns), number(warps.branches), number(warps.parted)});
    }
    return;
  }
  facts.line_bytes = counts.levels.empty() ? facts.line_bytes : counts.levels.front().line_bytes;
  for (const backend::AccessSite& one : counts.sites) {
    facts.sites.push_back(site_of(one));
  }
}

class Explain final : public Tool {
public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override
  {
    return "What bounds the candidate, with the evidence, and which transformations address it.";
  }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    Report report;
    CandidateFacts facts;
    HONE_CHECK(bench.built());
    const auto code = bench.compiled_text();
    const backend::AccessCounter* counter = bench.backend().access_counter();
    const std::string missing =
      counter == nullptr ? fmt::format("not on the {} backend", bench.backend().name()) : counter->missing();
    if (missing.empty()) {
      HONE_TRY(const backend::AccessCounts* counts, bench.accesses(counter->levels()));
      add_accesses(facts, *counts);
      if (!counts->whole) {
        report.notes.push_back(counts->notes.back());
      }
    } else {
      report.notes.push_back("accesses are not counted: " + missing);
    }
    if (code) {
      HONE_TRY(const HotLoop hot, bench.hot_loop());
      add_code(facts, (*code)->listing, hot, bench.spec(), report);
      facts.rounds = bench.rounds(hot);
    } else {
      report.notes.push_back("code is not looked at: " + code.error().message);
    }
    describe(report, bottlenecks_of(facts), bench);
    return report;
  }

private:
  static void describe(Report& report, const std::vector<Bottleneck>& found, const Bench& bench)
  {
    if (found.empty()) {
      report.diagnosis.emplace_back("no bottleneck stands out of what was looked at");
      return;
    }
    Table table{"bottlenecks", {{"bottleneck", ""}, {"weight", "%"}, {"transformations", ""}}, {}};
    for (const Bottleneck& one : found) {
      const std::vector<std::string> steps = steps_for(one.name, bench);
      if (report.diagnosis.size() < k_most_sentences) {
        report.diagnosis.push_back(fmt::format("{}: {}", one.name, one.evidence));
      }
      table.rows.push_back({one.name, std::round(1000 * one.weight) / 10, join(steps, ", ")});
    }
    report.tables.push_back(std::move(table));
    report.notes.emplace_back(
      "weights are shares of a modelled time, by counters and usual costs; nothing is measured, "
      "and shares overlap where one remedy serves two causes");
  }

  // Of the catalogue, by what they say they relieve; those that cannot follow now are left out.
  static std::vector<std::string> steps_for(const std::string& bottleneck, const Bench& bench)
  {
    std::vector<std::string> names;
    for (const catalogue::Transformation& step : bench.spec().catalogue) {
      const bool relieves = std::ranges::any_of(words_for(bottleneck),
                                                [&](std::string_view word) { return step.bottleneck.contains(word); });
      if (relieves && !catalogue::why_not_applicable(step, bench.kernel(), bench.backend().name(), bench.spec().done)) {
        names.push_back(step.name);
      }
    }
    return names;
  }
};

} // namespace

const Tool& explain_tool()
{
  static const Explain tool;
  return tool;
}

} // namespace hone::tools
