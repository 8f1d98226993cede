// Misses, reuse, strides and bytes of each level, by line of the source, counted through modelled caches; of a GPU what
// its warps ask for.
#include "backend/access_counter.h"
#include "tools/share.h"
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tools {
namespace {

using backend::AccessCounts;
using backend::AccessSite;
using backend::MemoryKind;

constexpr double k_notable = 0.1; // share of something that is worth a sentence
constexpr std::string_view k_this_machine = "this machine";

std::string place_of(const AccessSite& site)
{
  return site.line > 0 ? fmt::format("{}:{}", site.file, site.line) : "?";
}

std::string memory_of(const AccessSite& site)
{
  return site.memory == MemoryKind::buffer ? site.buffer : std::string(name_of(site.memory));
}

// "L1=49152,12,64 L2=..." -> levels.
Result<std::vector<backend::CacheLevel>> parse_levels(const std::string& text)
{
  std::vector<backend::CacheLevel> levels;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) {
      HONE_TRY(levels.emplace_back(), backend::parse_cache_level(word));
    }
  }
  HONE_CHECK(backend::check_levels(levels));
  return levels;
}

class Memory final : public Tool {
public:
  std::string_view name() const override { return "memory"; }
  std::string_view summary() const override
  {
    return "Misses, reuse, strides and bytes by source line, without hardware counters; of GPUs sectors and bank "
           "conflicts.";
  }
  std::vector<ToolArgument> arguments() const override
  {
    return {{"lines", ArgumentType::integer, "How many lines of the source to show.", 12, {}},
            {"caches",
             ArgumentType::text,
             "Levels as bytes, ways and bytes of a line: 'L1=49152,12,64 L2=1048576,16,64'.",
             k_this_machine,
             {}}};
  }

  Result<void> check(const Bench& bench) const override
  {
    const backend::AccessCounter* counter = bench.backend().access_counter();
    if (counter == nullptr) {
      return fail(fmt::format("accesses are not counted on the {} backend", bench.backend().name()),
                  "use the cpu, opencl, cuda or hip backend");
    }
    const std::string missing = counter->missing();
    return missing.empty() ? Result<void>() : fail(missing);
  }

  Result<Report> run(Bench& bench, const Json& arguments) const override
  {
    const auto caches = arguments.at("caches").get<std::string>();
    std::vector<backend::CacheLevel> levels = bench.backend().access_counter()->levels();
    if (caches != k_this_machine) {
      HONE_TRY(levels, parse_levels(caches));
    }
    HONE_TRY(const AccessCounts* counts, bench.accesses(levels));
    Report report;
    const auto lines = arguments.at("lines").get<std::int64_t>();
    if (counts->of_warps) {
      describe_warps(report, *counts);
      add_levels(report, *counts);
      add_warp_lines(report, *counts, lines);
    } else if (!counts->has_lines) {
      describe_kinds(report, *counts);
      add_kinds(report, *counts);
    } else {
      describe(report, *counts);
      add_levels(report, *counts);
      add_lines(report, *counts, lines);
    }
    report.notes = counts->notes;
    return report;
  }

private:
  static void describe(Report& report, const AccessCounts& counts)
  {
    if (counts.sites.empty() || counts.total.misses.empty()) {
      report.diagnosis.emplace_back("the call touches no memory");
      return;
    }
    for (std::size_t i = 0; i < counts.levels.size(); ++i) {
      const std::int64_t misses = counts.total.misses[i].all();
      if (misses == 0) {
        continue;
      }
      const AccessSite& worst = *std::ranges::max_element(
        counts.sites, {}, [i](const AccessSite& site) { return site.misses.empty() ? 0 : site.misses[i].all(); });
      report.diagnosis.push_back(
        fmt::format("{} misses on {:.1f} % of its accesses; {:.0f} % of the misses are {} at {}", counts.levels[i].name,
                    100 * share(misses, counts.total.accesses()), 100 * share(worst.misses[i].all(), misses),
                    memory_of(worst), place_of(worst)));
    }
    for (const AccessSite& site : counts.sites) {
      add_habits(report, counts, site);
    }
    if (share(counts.stack.accesses(), counts.total.accesses()) > k_notable) {
      report.diagnosis.push_back(fmt::format("{:.0f} % of the accesses are to the stack: registers are spilled, or a "
                                             "local array does not fit",
                                             100 * share(counts.stack.accesses(), counts.total.accesses())));
    }
  }

  // What a line does that costs time, if it matters.
  static void add_habits(Report& report, const AccessCounts& counts, const AccessSite& site)
  {
    if (site.misses.empty() || site.memory != MemoryKind::buffer
        || share(weight(site, counts.levels), weight(counts.total, counts.levels)) < k_notable) {
      return;
    }
    const std::int64_t line = counts.levels.front().line_bytes;
    if (site.stride && std::abs(site.stride->bytes) >= line && site.stride->share > 0.5) {
      report.diagnosis.push_back(
        fmt::format("{} at {} is walked in steps of {} B: each access takes another line, of "
                    "which it uses {} B",
                    memory_of(site), place_of(site), site.stride->bytes,
                    (site.bytes_loaded + site.bytes_stored) / std::max<std::int64_t>(site.accesses(), 1)));
    }
    if (share(site.misses.front().conflicts, site.misses.front().all()) > k_notable) {
      report.diagnosis.push_back(fmt::format("{:.0f} % of the first level's misses of {} at {} are conflicts: lines "
                                             "that fall into the same set",
                                             100 * share(site.misses.front().conflicts, site.misses.front().all()),
                                             memory_of(site), place_of(site)));
    }
    if (share(site.line_crossings, site.accesses()) > k_notable) {
      report.diagnosis.push_back(fmt::format("{:.0f} % of the accesses to {} at {} lie in two lines: it is not aligned",
                                             100 * share(site.line_crossings, site.accesses()), memory_of(site),
                                             place_of(site)));
    }
  }

  // Of a GPU: what its warps ask for beyond what they want.
  static void describe_warps(Report& report, const AccessCounts& counts)
  {
    const backend::WarpNumbers& all = counts.total.warps;
    if (all.requests + all.turns == 0) {
      report.diagnosis.emplace_back("the call touches no memory");
      return;
    }
    report.diagnosis.push_back(fmt::format("warps touch {} sectors of global memory, {:.2f} times what the bytes they "
                                           "want would fill; {:.0f} % of them come from the device's memory",
                                           all.sectors, times(all.sectors, all.least_sectors),
                                           100 * share(counts.total.misses.at(0).all(), all.sectors)));
    if (all.turns > 0) {
      report.diagnosis.push_back(fmt::format("shared memory takes {} turns, {:.2f} times those without bank conflicts",
                                             all.turns, times(all.turns, all.least_turns)));
    }
    for (const AccessSite& site : counts.sites) {
      const backend::WarpNumbers& warps = site.warps;
      if (times(warps.sectors, warps.least_sectors) > 1.5 && share(warps.sectors, all.sectors) > k_notable) {
        report.diagnosis.push_back(fmt::format("{} at {} is not coalesced: {:.1f} sectors for each access of a warp, "
                                               "where {:.1f} would do",
                                               memory_of(site), place_of(site), times(warps.sectors, warps.requests),
                                               times(warps.least_sectors, warps.requests)));
      }
      if (times(warps.turns, warps.least_turns) > 1.5 && share(warps.turns, all.turns) > k_notable) {
        report.diagnosis.push_back(fmt::format("shared memory at {} has bank conflicts: {:.1f} turns for each access",
                                               place_of(site), times(warps.turns, warps.least_turns)));
      }
    }
    if (share(all.parted, all.branches) > k_notable) {
      report.diagnosis.push_back(fmt::format("{:.0f} % of the branches part: items of a warp go both ways",
                                             100 * share(all.parted, all.branches)));
    }
  }

  static double times(std::int64_t many, std::int64_t few)
  {
    return few > 0 ? static_cast<double>(many) / static_cast<double>(few) : 0;
  }

  static void add_warp_lines(Report& report, const AccessCounts& counts, std::int64_t lines)
  {
    Table table{"lines",
                {{"line", ""},
                 {"memory", ""},
                 {"accesses", "of items"},
                 {"requests", "of warps"},
                 {"sectors", ""},
                 {"at least", "sectors"},
                 {"from memory", "sectors"},
                 {"turns", ""},
                 {"at least", "turns"},
                 {"parted", "of warps"}},
                {}};
    for (const AccessSite& site : counts.sites) {
      const backend::WarpNumbers& warps = site.warps;
      if (std::ssize(table.rows) >= lines) {
        break;
      }
      if (site.accesses() > 0 || warps.parted > 0) {
        table.rows.push_back({place_of(site), memory_of(site), site.accesses(), warps.requests, warps.sectors,
                              warps.least_sectors, site.misses.empty() ? 0 : site.misses[0].all(), warps.turns,
                              warps.least_turns, warps.parted});
      }
    }
    report.tables.push_back(std::move(table));
    report.values.push_back({"instructions of warps", counts.total.warps.instructions, ""});
    report.values.push_back(
      {"lanes that work", 100 * share(counts.total.warps.items, 32 * counts.total.warps.instructions), "%"});
  }

  // Where only sums by kind of memory are known.
  static void describe_kinds(Report& report, const AccessCounts& counts)
  {
    for (const AccessSite& site : counts.sites) {
      report.diagnosis.push_back(fmt::format("{:.0f} % of the accesses are to {}: {} B loaded, {} B stored",
                                             100 * share(site.accesses(), counts.total.accesses()), memory_of(site),
                                             site.bytes_loaded, site.bytes_stored));
    }
  }

  static void add_kinds(Report& report, const AccessCounts& counts)
  {
    Table table{"memory", {{"memory", ""}, {"loads", ""}, {"stores", ""}, {"loaded", "B"}, {"stored", "B"}}, {}};
    for (const AccessSite& site : counts.sites) {
      table.rows.push_back({memory_of(site), site.loads, site.stores, site.bytes_loaded, site.bytes_stored});
    }
    report.tables.push_back(std::move(table));
  }

  static void add_levels(Report& report, const AccessCounts& counts)
  {
    Table table{"levels", {{"level", ""}, {"size", "B"}, {"misses", "lines"}}, {}};
    if (!counts.of_warps) { // whose cache is not compared with one without sets
      table.columns.insert(table.columns.end(), {{"first touch", "%"}, {"conflicts", "%"}});
    }
    table.columns.insert(table.columns.end(), {{"fetched", "B"}, {"written back", "B"}});
    for (std::size_t i = 0; i < counts.levels.size() && i < counts.traffic.size(); ++i) {
      const backend::CacheMisses& misses = counts.total.misses[i];
      const backend::LevelTraffic& traffic = counts.traffic[i];
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {counts.levels[i].name, counts.levels[i].bytes, misses.all()};
      if (!counts.of_warps) {
        row.emplace_back(100 * share(misses.first, misses.all()));
        row.emplace_back(100 * share(misses.conflicts, misses.all()));
      }
      row.emplace_back(traffic.fill_bytes);
      row.emplace_back(traffic.write_back_bytes + traffic.dirty_bytes);
    }
    report.tables.push_back(std::move(table));
    report.values = {{"loads", counts.total.loads, ""},
                     {"stores", counts.total.stores, ""},
                     {"bytes loaded", counts.total.bytes_loaded, "B"},
                     {"bytes stored", counts.total.bytes_stored, "B"}};
    if (!counts.of_warps) {
      report.values.push_back({"distinct bytes touched", counts.touched_bytes, "B"});
    }
  }

  static void add_lines(Report& report, const AccessCounts& counts, std::int64_t lines)
  {
    Table table{"lines", {{"line", ""}, {"memory", ""}, {"accesses", ""}}, {}};
    for (const backend::CacheLevel& level : counts.levels) {
      table.columns.push_back({level.name, "misses"});
    }
    for (const auto& [name, unit] :
         {std::pair{"stride", "B"}, {"of steps", "%"}, {"aligned", "B"}, {"reuse", "lines"}}) {
      table.columns.push_back({name, unit});
    }
    for (const AccessSite& site : counts.sites) {
      if (std::ssize(table.rows) >= lines) {
        break;
      }
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {place_of(site), memory_of(site), site.accesses()};
      for (std::size_t i = 0; i < counts.levels.size(); ++i) {
        row.emplace_back(site.misses.empty() ? std::int64_t{0} : site.misses[i].all());
      }
      row.emplace_back(site.stride ? site.stride->bytes : std::int64_t{0});
      row.emplace_back(site.stride ? 100 * site.stride->share : 0.0);
      row.emplace_back(site.alignment);
      row.emplace_back(site.reuse ? site.reuse->median : 0.0);
    }
    report.tables.push_back(std::move(table));
  }
};

} // namespace

const Tool& memory_tool()
{
  static const Memory tool;
  return tool;
}

} // namespace hone::tools
