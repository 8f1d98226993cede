#include "program/judge.h"

#include "program/bench.h"
#include "program/consistency.h"
#include "program/refusals.h"
#include "record/tier.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <sys/utsname.h>

namespace hone::program {

namespace {

using record::Status;

constexpr std::size_t k_most_refusals = 5; // told
constexpr double k_fewest_inputs = 1000;   // that may be drawn: fewer could be known by heart
constexpr double k_largest_start = 0.1;    // part of a timed run

std::string utc_now()
{
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// "AMD EPYC ..., Linux 6.1"
std::string machine_name()
{
  std::string cpu = "CPU not known";
  if (const auto facts = read_file("/proc/cpuinfo")) {
    const std::size_t at = facts->find("model name");
    const std::size_t colon = facts->find(':', at == facts->npos ? facts->size() : at);
    if (colon != facts->npos) {
      cpu = trim(std::string_view(*facts).substr(colon + 1, facts->find('\n', colon) - colon - 1));
    }
  }
  utsname about{};
  ::uname(&about);
  return fmt::format("{}, {} {}", cpu, about.sysname, about.release);
}

ProgramRecord begun(const Bench& bench, const std::string& replacement)
{
  ProgramRecord record;
  record.program = bench.program().name;
  record.sources = sources_hash(bench.program());
  record.region = to_text(bench.program().region, bench.region());
  record.replacement = sha256(replacement);
  record.seed = bench.seed();
  record.time_utc = utc_now();
  record.machine = machine_name();
  record.flags.push_back(fmt::format("tier {}: the program runs its own host code, and is judged by its outputs and by "
                                     "the time of whole runs",
                                     name_of(record::Tier::c)));
  return record;
}

// What can be told without building; nothing where it may be built.
std::optional<Fault> refuse(const Bench& bench, const std::string& replacement, Author author)
{
  std::vector<Refusal> refusals;
  if (author == Author::foreign) {
    refusals = refusals_in(replacement, bench.region().text);
  }
  std::string reason;
  for (std::size_t i = 0; i < std::min(refusals.size(), k_most_refusals); ++i) {
    reason += fmt::format("{}line {}: {}", i == 0 ? "" : "; ", refusals[i].line, refusals[i].what);
  }
  if (reason.empty() && !bench.program().region.function.empty()) {
    if (const auto found = find_region(replacement, bench.program().region, "the replacement"); !found) {
      reason = found.error().message + ": the replacement must define it";
    }
  }
  return reason.empty() ? std::nullopt : std::optional(Fault{Status::rejected, reason, ""});
}

void add_summary(const Program& program, ProgramRecord& record)
{
  const Summary summary = summary_of(record.pairs, program.time.slack);
  record.whole = summary.whole;
  record.verdict = summary.verdict;
  record.within = summary.within;
  record.unexplained = summary.unexplained;
  record.share = summary.share;
  if (summary.within) {
    record.flags.emplace_back("the region's time is what the program's own process reports");
  }
  if (std::ranges::any_of(record.pairs,
                          [](const PairTimes& pair) { return pair.entries_original != pair.entries_replaced; })) {
    record.flags.emplace_back("the region is entered another number of times than in the original");
  }
  if (!summary.contradiction.empty()) {
    record.status = Status::rejected;
    record.reason = summary.contradiction;
  }
}

// What makes numbers of this program say less.
std::vector<std::string> warnings_about(const Program& program, const ProgramCheck& check)
{
  std::vector<std::string> warnings;
  if (count_of(program.drawn) < k_fewest_inputs) {
    warnings.push_back(
      fmt::format("only {:.0f} inputs can be drawn: a replacement could know them by heart; give [draw] a "
                  "range more, as a seed",
                  count_of(program.drawn)));
  }
  if (count_of(program.time.parameters) < k_fewest_inputs) {
    warnings.push_back(fmt::format("only {:.0f} inputs can be drawn for timed runs: give [time] a seed to draw",
                                   count_of(program.time.parameters)));
  }
  if (check.reals == 0) {
    warnings.emplace_back("the outputs hold no real number: the tolerance means nothing");
  }
  if (check.started_s > k_largest_start * check.whole_s) {
    warnings.push_back(fmt::format("starting the program takes {:.0f} % of a timed run: give [time] more work",
                                   100 * check.started_s / check.whole_s));
  }
  return warnings;
}

} // namespace

struct Judge::State {
  Bench bench;
  bool timing = true;
};

Judge::Judge(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Judge::Judge(Judge&&) noexcept = default;
Judge::~Judge() = default;

const Program& Judge::program() const
{
  return m_state->bench.program();
}

const Region& Judge::region() const
{
  return m_state->bench.region();
}

Result<Judge> Judge::open(Program program, Machine& machine, JudgeOptions options)
{
  const bool timing = options.timing;
  auto state = std::make_unique<State>(Bench(std::move(program), machine, std::move(options)), timing);
  HONE_CHECK(state->bench.prepare());
  return Judge(std::move(state));
}

Result<ProgramCheck> Judge::check()
{
  Bench& bench = m_state->bench;
  const Program& program = bench.program();
  ProgramCheck check;
  check.program = program.name;
  check.sources = sources_hash(program);
  check.region = to_text(program.region, bench.region());
  check.text = bench.region().text;
  check.lines = bench.region().last_line - bench.region().first_line + 1;
  HONE_TRY(const Agreement again, bench.repeat());
  check.repeats = again.agrees;
  check.difference = again.difference;
  check.reals = again.reals;
  bench.tell("times the region");
  std::vector<double> whole, region, entries, shares;
  constexpr int k_runs = 3;
  for (int i = 0; i < k_runs; ++i) {
    HONE_TRY(const OriginalTimes times, bench.time_original());
    whole.push_back(times.whole_s);
    region.push_back(times.region.seconds);
    entries.push_back(times.region.entries);
    shares.push_back(times.region.seconds / times.timed_s);
  }
  check.whole_s = median(whole);
  check.region_s = median(region);
  check.entries = median(entries);
  check.share = median(shares);
  HONE_TRY(check.started_s, bench.time_of_nothing());
  bench.tell("leaves the region out");
  HONE_TRY(const auto without, bench.build_plain(emptied(program.region_file(), program.region, bench.region())));
  check.without_region = "does not build";
  if (without) {
    std::vector<ComparedInput> compared;
    HONE_TRY(const auto fault, bench.verify(*without, compared));
    check.notices_nothing = !fault;
    check.without_region = fault ? fmt::format("{}: {}", name_of(fault->status), fault->reason) : "correct";
  }
  check.warnings = warnings_about(program, check);
  return check;
}

Result<ProgramRecord> Judge::judge(const std::string& replacement, Author author)
{
  Bench& bench = m_state->bench;
  ProgramRecord record = begun(bench, replacement);
  const auto ended_by = [&record](Fault fault) {
    record.status = fault.status;
    record.reason = std::move(fault.reason);
    record.log = std::move(fault.log);
    return record;
  };
  if (author == Author::hone) {
    record.flags.emplace_back("written by Hone's built-in engine");
  }
  if (auto fault = refuse(bench, replacement, author)) {
    return ended_by(std::move(*fault));
  }
  Arm arm;
  HONE_TRY(auto unbuilt, bench.build(replacement, arm));
  if (unbuilt) {
    return ended_by(std::move(*unbuilt));
  }
  HONE_TRY(auto wrong, bench.verify(*arm.plain, record.compared));
  if (wrong) {
    return ended_by(std::move(*wrong));
  }
  if (!m_state->timing) {
    return record;
  }
  const int pairs = bench.program().time.pairs;
  for (int i = 0; i < pairs; ++i) {
    bench.tell(fmt::format("times pair {} of {}", i + 1, pairs));
    PairTimes times;
    HONE_TRY(auto fault, bench.time_pair(arm, times));
    if (fault) {
      record.pairs.clear(); // no times of what is wrong
      return ended_by(std::move(*fault));
    }
    record.pairs.push_back(times);
  }
  add_summary(bench.program(), record);
  return record;
}

std::string sources_hash(const Program& program)
{
  std::string all;
  if (const auto text = read_file(program.file)) {
    all += sha256(*text);
  }
  for (const auto& [name, text] : program.sources) {
    all += name + '\0' + sha256(text);
  }
  return sha256(all);
}

Result<Tree> with_replacement(const Program& program, const std::string& replacement)
{
  HONE_TRY(const Region region, find_region(program.region_file(), program.region, program.region.file));
  Tree tree = program.sources;
  tree[program.region.file] = with_region(program.region_file(), region, replacement);
  return tree;
}

} // namespace hone::program
