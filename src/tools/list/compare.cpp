// What differs between two candidates: time, memory, the hot loop's instructions, registers.
#include "backend/access_counter.h"
#include "tools/instruction_mix.h"
#include "tools/loop_diff.h"
#include "tools/tool_list.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::tools {
namespace {

constexpr double k_worth_a_sentence = 1.1; // times as many

// Bytes, misses and the like of both.
struct ComparedNumber {
  std::string what;
  std::int64_t mine = 0, other = 0;
};

// "a third as many", as a number of which 1 means "as many".
std::string ratio_text(std::int64_t mine, std::int64_t other)
{
  return other > 0 ? fmt::format("{:.3g} times", static_cast<double>(mine) / static_cast<double>(other)) : "";
}

double distance_of(const ComparedNumber& one)
{
  const auto mine = static_cast<double>(std::max<std::int64_t>(one.mine, 1));
  const auto other = static_cast<double>(std::max<std::int64_t>(one.other, 1));
  return std::max(mine / other, other / mine);
}

std::vector<ComparedNumber> memory_numbers(const backend::AccessCounts& mine, const backend::AccessCounts& other)
{
  std::vector<ComparedNumber> list{
    {"loads", mine.total.loads, other.total.loads},
    {"stores", mine.total.stores, other.total.stores},
    {"bytes loaded", mine.total.bytes_loaded, other.total.bytes_loaded},
    {"bytes stored", mine.total.bytes_stored, other.total.bytes_stored},
    {"accesses to the stack", mine.stack.accesses(), other.stack.accesses()},
    {"accesses in two lines", mine.total.line_crossings, other.total.line_crossings},
  };
  for (std::size_t i = 0; i < std::min(mine.levels.size(), other.levels.size()); ++i) {
    list.push_back({mine.levels[i].name + " misses", mine.total.misses[i].all(), other.total.misses[i].all()});
  }
  std::erase_if(list, [](const ComparedNumber& one) { return one.mine == 0 && one.other == 0; });
  return list;
}

std::int64_t registers_in(const HotLoop& hot)
{
  std::set<std::string> names;
  for (std::size_t i = 0; hot.loop != nullptr && i < hot.loop->instructions.size(); ++i) {
    const std::string& text = hot.function->instructions[hot.loop->instructions[i]].operands;
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      const std::size_t end = text.find_first_of(" ,;)}]", at);
      std::string name = text.substr(at, end - at);
      if (name.contains("mm")) { // xmm3 is the lower half of ymm3
        name[1] = 'v';
      }
      names.insert(std::move(name));
    }
  }
  return std::ssize(names);
}

class Compare final : public Tool {
public:
  std::string_view name() const override { return "compare"; }
  std::string_view summary() const override
  {
    return "What differs between two candidates (--against): time run in turns, memory counters, the hot loop's "
           "instructions, registers.";
  }
  bool is_deterministic() const override { return false; }
  std::vector<ToolArgument> arguments() const override
  {
    return {{"lines", ArgumentType::integer, "How many lines of the difference of the two loops to show.", 24, {}}};
  }

  Result<void> check(const Bench& bench) const override
  {
    return bench.spec().against ? Result<void>() : fail("there is nothing to compare with", "add --against CANDIDATE");
  }

  Result<Report> run(Bench& bench, const Json& arguments) const override
  {
    Bench& other = *bench.other();
    Report report;
    HONE_CHECK(bench.built());
    HONE_CHECK(other.built());
    HONE_CHECK(add_time(report, bench));
    HONE_CHECK(add_memory(report, bench, other));
    HONE_CHECK(add_code(report, bench, other, arguments.at("lines").get<std::int64_t>()));
    return report;
  }

private:
  static Result<void> add_time(Report& report, Bench& bench)
  {
    if (!bench.backend().capabilities().times) {
      report.notes.emplace_back("nothing is timed here: the device is emulated");
      return {};
    }
    HONE_TRY(const record::ComparisonResult* times, bench.compared());
    // Time over time: below 1 the subject is faster.
    const double ratio = 1 / times->ratio, low = 1 / times->ci95.high, high = 1 / times->ci95.low;
    report.add_measured(fmt::format(
      "{} takes {:.2f} of the time of {} ({:.2f} to {:.2f} in {} pairs{}): {}", bench.spec().subject.name, ratio,
      bench.spec().against->name, low, high, times->pair_ratios.size(),
      times->regime == record::Regime::cold ? ", data from memory" : ", data from caches", name_of(times->verdict)));
    const auto rounded = [](double value) { return std::round(100 * value) / 100; };
    report.values.push_back({"time over the other's", rounded(ratio), "", true});
    report.values.push_back({"at least", rounded(low), "", true});
    report.values.push_back({"at most", rounded(high), "", true});
    return {};
  }

  static std::vector<Column> columns(const Bench& bench, const std::string& what)
  {
    const std::string mine = bench.spec().subject.name, other = bench.spec().against->name;
    return {{what, ""}, {mine, ""}, {other == mine ? other + " (against)" : other, ""}};
  }

  static Result<void> add_memory(Report& report, Bench& bench, Bench& other)
  {
    const backend::AccessCounter* counter = bench.backend().access_counter();
    const std::string missing =
      counter == nullptr ? "not on the " + std::string(bench.backend().name()) + " backend" : counter->missing();
    if (!missing.empty()) {
      report.notes.push_back("accesses are not counted: " + missing);
      return {};
    }
    HONE_TRY(const backend::AccessCounts* mine, bench.accesses(counter->levels()));
    HONE_TRY(const backend::AccessCounts* others, other.accesses(counter->levels()));
    Table table{"memory", columns(bench, "count"), {}};
    table.columns.push_back({"ratio", ""});
    std::vector<ComparedNumber> list = memory_numbers(*mine, *others);
    for (const ComparedNumber& one : list) {
      table.rows.push_back({one.what, one.mine, one.other, ratio_text(one.mine, one.other)});
    }
    report.tables.push_back(std::move(table));
    std::ranges::stable_sort(list, std::greater(), distance_of);
    for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 2); ++i) {
      if (distance_of(list[i]) >= k_worth_a_sentence) {
        const std::string ratio = ratio_text(list[i].mine, list[i].other);
        report.diagnosis.push_back(fmt::format("{}: {} against {}{}", list[i].what, list[i].mine, list[i].other,
                                               ratio.empty() ? "" : " (" + ratio + ")"));
      }
    }
    if (!mine->whole || !others->whole) {
      report.notes.emplace_back("not both calls were counted to their ends: compare memory counters at smaller sizes");
    }
    return {};
  }

  static Result<void> add_code(Report& report, Bench& bench, Bench& other, std::int64_t lines)
  {
    const auto code = bench.compiled_text();
    if (!code) { // of a driver that keeps its code to itself
      report.notes.push_back("code is not compared: " + code.error().message);
      return {};
    }
    HONE_TRY(const CompiledText* others, other.compiled_text());
    HONE_TRY(const HotLoop mine_loop, bench.hot_loop());
    HONE_TRY(const HotLoop other_loop, other.hot_loop());
    InstructionMix mine, theirs;
    add_loop(mine, mine_loop, (*code)->listing);
    add_loop(theirs, other_loop, others->listing);
    Table table{"a round of the hot loop", columns(bench, "instructions"), {}};
    table.rows.push_back({"all", std::int64_t{mine.total()}, std::int64_t{theirs.total()}});
    for (const InstructionClass what : all_instruction_classes()) {
      if (mine.of(what) + theirs.of(what) > 0) {
        table.rows.push_back({std::string(name_of(what)), std::int64_t{mine.of(what)}, std::int64_t{theirs.of(what)}});
      }
    }
    table.rows.push_back({"bytes of vectors", std::int64_t{mine.vector_bytes}, std::int64_t{theirs.vector_bytes}});
    table.rows.push_back({"registers named", registers_in(mine_loop), registers_in(other_loop)});
    report.tables.push_back(std::move(table));
    report.diagnosis.push_back(fmt::format(
      "a round of the hot loop: {} instructions ({} arithmetic, {} memory) at {} against {} ({} arithmetic, {} memory) "
      "at {}",
      mine.total(), mine.arithmetic(), mine.memory(), place_of(mine_loop), theirs.total(), theirs.arithmetic(),
      theirs.memory(), place_of(other_loop)));
    HONE_CHECK(add_resources(report, bench, other, **code, *others));
    add_difference(report, diff_of(other_loop, mine_loop), lines);
    return {};
  }

  static void add_loop(InstructionMix& mix, const HotLoop& hot, const Listing& listing)
  {
    if (hot.loop != nullptr) {
      mix.add(*hot.function, *hot.loop, listing.syntax);
    }
  }

  static std::string place_of(const HotLoop& hot)
  {
    return hot.loop == nullptr ? "no loop" : lines_of(*hot.function, *hot.loop);
  }

  static Result<void> add_resources(Report& report, Bench& bench, Bench& other, const CompiledText& mine,
                                    const CompiledText& theirs)
  {
    HONE_TRY(const gate::BuiltCandidate* built, bench.built());
    HONE_TRY(const gate::BuiltCandidate* others, other.built());
    Table table{"kernels",
                {{"candidate", ""},
                 {"kernel", ""},
                 {"registers", "per item"},
                 {"spilled", "B per item"},
                 {"local memory", "B per group"},
                 {"occupancy", "%"}},
                {}};
    const auto add = [&](const std::string& who, const std::vector<backend::CodeResources>& list) {
      for (const backend::CodeResources& one : list) {
        table.rows.push_back({who, one.kernel, std::int64_t{one.registers}, std::int64_t{one.spilled_bytes},
                              std::int64_t{one.local_bytes}, 100 * one.occupancy});
      }
    };
    add(bench.spec().subject.name, bench.backend().resources(bench.build_input(*built), mine.printed));
    add(other.spec().subject.name, bench.backend().resources(other.build_input(*others), theirs.printed));
    if (!table.rows.empty()) {
      report.tables.push_back(std::move(table));
    }
    return {};
  }

  // What both have is left out, but for the lines beside a difference.
  static void add_difference(Report& report, const std::vector<DiffLine>& diff, std::int64_t lines)
  {
    if (std::ranges::all_of(diff, [](const DiffLine& one) { return one.side == ' '; })) {
      report.diagnosis.emplace_back("the two hot loops are the same, whatever registers they use");
      return;
    }
    Table table{"from the other's loop (-) to this one's (+)", {{"", ""}, {"instruction", ""}}, {}};
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < diff.size() && std::ssize(table.rows) < lines; ++i) {
      const bool near =
        diff[i].side != ' ' || (i > 0 && diff[i - 1].side != ' ') || (i + 1 < diff.size() && diff[i + 1].side != ' ');
      if (near) {
        if (left_out > 0) {
          table.rows.push_back({std::string("="), fmt::format("({} in both)", left_out)});
        }
        left_out = 0;
        table.rows.push_back({std::string(1, diff[i].side == ' ' ? '=' : diff[i].side), diff[i].text});
      } else {
        ++left_out;
      }
    }
    report.tables.push_back(std::move(table));
  }
};

} // namespace

const Tool& compare_tool()
{
  static const Compare tool;
  return tool;
}

} // namespace hone::tools
