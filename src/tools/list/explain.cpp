// What bounds a candidate, with the evidence of the other tools, and which transformations address it.
#include "backend/access_counter.h"
#include "tools/bottlenecks.h"
#include "tools/instruction_mix.h"
#include "tools/mca.h"
#include "tools/share.h"
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tools {
namespace {

constexpr std::size_t k_most_sentences = 4;

void add_code(CandidateFacts& facts, const Listing& listing, const BenchSpec& spec, Report& report)
{
  const HotLoop hot = hot_loop(listing);
  if (hot.loop == nullptr) {
    return;
  }
  InstructionMix mix;
  mix.add(*hot.function, *hot.loop, listing.syntax);
  facts.lines = lines_of(*hot.function, *hot.loop);
  facts.arithmetic = mix.arithmetic();
  facts.memory = mix.memory();
  facts.calls = mix.of(InstructionClass::call);
  facts.special = mix.of(InstructionClass::special);
  facts.gathers = mix.of(InstructionClass::gather);
  facts.others = mix.total() - facts.arithmetic - facts.memory;
  const bool x86 = listing.syntax == backend::ListingSyntax::x86;
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
    facts.port = mca->ports.empty() ? "the front end" : mca->ports.front().first;
  } else {
    report.notes.push_back(mca.error().message);
  }
}

void add_accesses(CandidateFacts& facts, const backend::AccessCounts& counts, const gate::Ceilings* ceilings)
{
  if (counts.levels.empty() || counts.traffic.size() != counts.levels.size()) {
    return;
  }
  const std::int64_t misses = counts.total.misses[0].all();
  facts.first_level_misses = share(misses, counts.total.accesses());
  facts.stack_share = share(counts.stack.accesses(), counts.total.accesses());
  facts.line_bytes = counts.levels.front().line_bytes;
  for (const backend::AccessSite& site : counts.sites) {
    if (site.memory == backend::MemoryKind::buffer && !site.misses.empty()) {
      facts.sites.push_back({fmt::format("{} at {}:{}", site.buffer, site.file, site.line),
                             share(site.misses[0].all(), misses), site.stride ? site.stride->bytes : 0,
                             share(site.misses[0].conflicts, site.misses[0].all()),
                             share(site.line_crossings, site.accesses())});
    }
  }
  const double scale =
    counts.groups_run > 0 ? static_cast<double>(counts.groups) / static_cast<double>(counts.groups_run) : 1;
  for (std::size_t i = 0; ceilings != nullptr && i < counts.levels.size(); ++i) {
    const std::string from = i + 1 < counts.levels.size() ? counts.levels[i + 1].name : "DRAM";
    const auto rate = ceilings->gbytes.find(from);
    const backend::LevelTraffic& traffic = counts.traffic[i];
    if (rate != ceilings->gbytes.end() && rate->second > 0) {
      facts.levels.push_back(
        {from, scale * static_cast<double>(traffic.fill_bytes + traffic.write_back_bytes) / (1e9 * rate->second)});
    }
  }
}

class Explain final : public Tool {
public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override
  {
    return "What bounds the candidate, with the evidence, and which transformations address it.";
  }
  bool is_deterministic() const override { return false; }

  Result<Report> run(Bench& bench, const Json& /*arguments*/) const override
  {
    Report report;
    CandidateFacts facts;
    HONE_TRY(const CompiledText* code, bench.compiled_text());
    const Listing& listing = code->listing;
    add_code(facts, listing, bench.spec(), report);
    if (bench.backend().capabilities().times) {
      HONE_TRY(const record::Verdict* verdict, bench.timed());
      facts.seconds = verdict->cold ? verdict->cold->median : 0;
    } else {
      report.notes.emplace_back("nothing is timed here: what bandwidth takes is not compared with the time of a call");
    }
    if (const backend::AccessCounter* counter = bench.backend().access_counter()) {
      HONE_TRY(const backend::AccessCounts* counts, bench.accesses(counter->levels()));
      HONE_TRY(const gate::Ceilings* ceilings, bench.ceilings());
      add_accesses(facts, *counts, ceilings);
    } else {
      report.notes.push_back(fmt::format("accesses are not counted on the {} backend", bench.backend().name()));
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
      table.rows.push_back({one.name, 100 * one.weight, join(steps, ", ")});
    }
    report.tables.push_back(std::move(table));
    report.notes.emplace_back("weights order the bottlenecks; they are no shares of the time");
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
