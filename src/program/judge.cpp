#include "program/judge.h"

#include "program/consistency.h"
#include "program/instrument.h"
#include "program/refusals.h"
#include "record/tier.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <sys/utsname.h>

namespace hone::program {

namespace {

using record::Status;

constexpr std::size_t k_most_refusals = 5; // told
constexpr std::size_t k_log_shown = 8 << 10;
constexpr double k_patience = 10;        // times the original's time that a replacement may take
constexpr double k_patience_s = 5;       // and so much more
constexpr double k_fewest_inputs = 1000; // that may be drawn: fewer could be known by heart

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

std::string fresh_name(Random& random)
{
  return fmt::format("hone_region_{:016x}", random.next());
}

// Why a replacement is not right.
struct Fault {
  Status status = Status::correct;
  std::string reason, log;
};

std::string how_it_ended(const RunOutcome& outcome, double limit_s)
{
  if (outcome.timed_out) {
    return fmt::format("took more than {:.3g} s", limit_s);
  }
  if (outcome.signal != 0) {
    return fmt::format("was killed by '{}'", ::strsignal(outcome.signal));
  }
  return fmt::format("ended with status {}", outcome.exit_status);
}

Agreement compare_outputs(const Program& program, const RunOutcome& expected, const RunOutcome& got)
{
  Agreement all;
  for (const OutputSpec& output : program.outputs) {
    const bool is_stdout = output.name == "stdout";
    const auto theirs = expected.files.find(output.name);
    const auto ours = got.files.find(output.name);
    if (!is_stdout && ours == got.files.end()) {
      all.agrees = false;
      all.difference = fmt::format("{} was not written", output.name);
      return all;
    }
    const std::string& a = is_stdout ? expected.out : theirs->second;
    const std::string& b = is_stdout ? got.out : ours->second;
    const Agreement one = output.as == OutputSpec::As::text ? compare_text(a, b, program.tolerance, program.ignored)
                                                            : compare_numbers(a, b, output.as, program.tolerance);
    all.worst = std::max(all.worst, one.worst);
    all.reals += one.reals;
    if (!one.agrees) {
      all.agrees = false;
      all.difference = fmt::format("{}, {}", output.name, one.difference);
      return all;
    }
  }
  return all;
}

} // namespace

struct Judge::State {
  // Both builds of one region: as it is, and timed from within.
  struct Arm {
    std::shared_ptr<const BuiltProgram> plain, timed;
    std::string report; // the file in which `timed` tells the region's time
  };

  Program program;
  Machine& machine;
  JudgeOptions options;
  Region region;
  std::uint64_t seed;
  Random random;
  Arm original;
  double started_s = 0;
  std::map<std::string, RunOutcome> known; // outputs of the original on declared inputs, by their name

  State(Program its_program, Machine& its_machine, JudgeOptions its_options)
    : program(std::move(its_program)), machine(its_machine), options(std::move(its_options)),
      seed(options.seed != 0 ? options.seed : fresh_seed()), random(seed)
  {
  }

  void tell(std::string_view text) const
  {
    if (options.progress) {
      options.progress(text);
    }
  }

  Result<void> go_on() const { return options.stop.stop_requested() ? Result<void>(fail("stopped")) : Result<void>(); }

  std::unexpected<Error> original_fails(const std::string& how, const Values& values) const
  {
    return fail(fmt::format("the original {} with {}", how, to_text(values)),
                "give it inputs, and ranges to draw from, on which it works; [program] limit is in seconds",
                {program.file.string(), 1, 0});
  }

  Result<RunOutcome> run(const BuiltProgram& built, const Values& values, double limit_s,
                         const std::string& report = {}) const
  {
    HONE_CHECK(go_on());
    Values all = values;
    all["tree"] = "{tree}"; // the machine's to fill in
    RunRequest request;
    for (const std::string& word : program.run) {
      HONE_TRY(std::string text, filled(word, all));
      request.command.push_back(std::move(text));
    }
    HONE_TRY(request.input, filled(program.input, values));
    for (const auto& [name, text] : program.files) {
      HONE_TRY(request.files[name], filled(text, values));
    }
    for (const OutputSpec& output : program.outputs) {
      if (output.name != "stdout") {
        request.collect.push_back(output.name);
      }
    }
    if (!report.empty()) {
      request.collect.push_back(report);
    }
    request.limit_s = limit_s;
    request.cpus = program.time.cpus;
    return machine.run(built, request);
  }

  Result<RunOutcome> run_original(const BuiltProgram& built, const Values& values, const std::string& report = {}) const
  {
    HONE_TRY(RunOutcome outcome, run(built, values, program.limit_s, report));
    if (outcome.exit_status != 0) {
      return original_fails(how_it_ended(outcome, program.limit_s), values);
    }
    for (const OutputSpec& output : program.outputs) {
      if (output.name != "stdout" && !outcome.files.contains(output.name)) {
        return original_fails("wrote no " + output.name, values);
      }
    }
    if (outcome.cut) {
      return original_fails("wrote more than is kept of stdout", values);
    }
    return outcome;
  }

  Result<BuildOutcome> build_text(const std::string& text) const
  {
    HONE_CHECK(go_on());
    Tree tree = program.sources;
    tree[program.region.file] = text;
    return machine.build(tree, program.build);
  }

  Result<std::string> timed_text(const std::string& replacement, const std::string& name) const
  {
    return instrumented(program.region_file(), program.region, region, replacement, name);
  }

  Result<void> build_original()
  {
    tell("builds the original");
    const auto must = [&](const BuildOutcome& built, const char* what) -> Result<void> {
      if (built.program) {
        return {};
      }
      return fail(fmt::format("the original {}: {}", what, built.log.substr(0, k_log_shown)),
                  "the build command must work in a copy of the sources without a network; tools that the build itself "
                  "makes cannot be executed there",
                  {program.file.string(), 1, 0});
    };
    HONE_TRY(const BuildOutcome plain, build_text(program.region_file()));
    HONE_CHECK(must(plain, "does not build"));
    original.report = fresh_name(random);
    HONE_TRY(const std::string text, timed_text(region.text, original.report));
    HONE_TRY(const BuildOutcome timed, build_text(text));
    HONE_CHECK(must(timed, "does not build with its region timed"));
    original.plain = plain.program;
    original.timed = timed.program;
    for (const NamedInput& input : program.inputs) {
      tell("runs the original on " + input.name);
      HONE_TRY(known[input.name], run_original(*original.plain, input.values));
    }
    return {};
  }

  // Runs a replacement on one input and compares what it wrote.
  Result<std::optional<Fault>> verify(const BuiltProgram& built, const Values& values, const RunOutcome& expected,
                                      const std::string& name, ComparedInput& compared) const
  {
    const double limit_s = std::min(program.limit_s, k_patience * expected.seconds + k_patience_s);
    HONE_TRY(const RunOutcome got, run(built, values, limit_s));
    compared = {name, to_text(values), 0};
    return fault_of(got, expected, values, name, limit_s, compared.worst);
  }

  std::optional<Fault> fault_of(const RunOutcome& got, const RunOutcome& expected, const Values& values,
                                const std::string& name, double limit_s, double& worst) const
  {
    const std::string where = fmt::format("on {} ({})", name, to_text(values));
    if (got.exit_status != 0) {
      return Fault{got.timed_out ? Status::timeout : Status::runtime,
                   fmt::format("{} {}", how_it_ended(got, limit_s), where), printable(got.err.substr(0, k_log_shown))};
    }
    const Agreement agreement = compare_outputs(program, expected, got);
    worst = std::max(worst, agreement.worst);
    if (!agreement.agrees) {
      return Fault{Status::correctness, fmt::format("{}: {}", where, printable(agreement.difference)), ""};
    }
    return std::nullopt;
  }

  Result<std::optional<Fault>> verify_all(const BuiltProgram& built, std::vector<ComparedInput>& compared)
  {
    for (const NamedInput& input : program.inputs) {
      tell("verifies " + input.name);
      HONE_TRY(auto fault, verify(built, input.values, known.at(input.name), input.name, compared.emplace_back()));
      if (fault) {
        return fault;
      }
    }
    for (int i = 0; i < program.fresh; ++i) {
      tell(fmt::format("verifies fresh input {} of {}", i + 1, program.fresh));
      const Values values = draw(program.drawn, random);
      HONE_TRY(const RunOutcome expected, run_original(*original.plain, values));
      HONE_TRY(auto fault, verify(built, values, expected, "a fresh input", compared.emplace_back()));
      if (fault) {
        return fault;
      }
    }
    return std::optional<Fault>();
  }

  // One run of each of the four builds, in an order of their own, on a fresh input. All outputs are compared.
  Result<std::optional<Fault>> time_pair(const Arm& replaced, PairTimes& times)
  {
    const Values values = draw(program.time.parameters, random);
    std::array<int, 4> order{0, 1, 2, 3};
    std::ranges::shuffle(order, random);
    std::array<RunOutcome, 4> outcomes;
    for (const int arm : order) {
      const auto place = static_cast<std::size_t>(arm);
      if (arm == 0) {
        HONE_TRY(outcomes[place], run_original(*original.plain, values));
      } else if (arm == 1) {
        HONE_TRY(outcomes[place], run_original(*original.timed, values, original.report));
      } else {
        HONE_TRY(outcomes[place], run(arm == 2 ? *replaced.plain : *replaced.timed, values, program.limit_s,
                                      arm == 2 ? "" : replaced.report));
      }
    }
    double worst = 0;
    for (const std::size_t arm : {2, 3}) {
      if (auto fault = fault_of(outcomes[arm], outcomes[0], values, "a timed input", program.limit_s, worst)) {
        return fault;
      }
    }
    times.original = outcomes[0].seconds;
    times.timed_original = outcomes[1].seconds;
    times.replaced = outcomes[2].seconds;
    times.timed_replaced = outcomes[3].seconds;
    const RegionTime theirs = reported(outcomes[1], original.report);
    const RegionTime ours = reported(outcomes[3], replaced.report);
    times.region_original = theirs.seconds;
    times.region_replaced = ours.seconds;
    times.entries_original = theirs.entries;
    times.entries_replaced = ours.entries;
    return std::optional<Fault>();
  }

  static RegionTime reported(const RunOutcome& outcome, const std::string& report)
  {
    const auto file = outcome.files.find(report);
    return file == outcome.files.end() ? RegionTime{} : region_time_in(file->second).value_or(RegionTime{});
  }

  ProgramRecord begun(const std::string& replacement) const
  {
    ProgramRecord record;
    record.program = program.name;
    record.sources = sources_hash(program);
    record.region = to_text(program.region, region);
    record.replacement = sha256(replacement);
    record.seed = seed;
    record.time_utc = utc_now();
    record.machine = machine_name();
    record.flags.push_back(
      fmt::format("tier {}: the program runs its own host code, and is judged by its outputs and by "
                  "the time of whole runs",
                  name_of(record::Tier::c)));
    return record;
  }

  Result<std::optional<Fault>> build_replacement(const std::string& replacement, Arm& arm)
  {
    tell("builds the replacement");
    HONE_TRY(const BuildOutcome plain, build_text(with_region(program.region_file(), region, replacement)));
    if (!plain.program) {
      return std::optional(Fault{Status::compile, "the program does not build with this region", plain.log});
    }
    arm.plain = plain.program;
    if (!options.timing) {
      return std::optional<Fault>();
    }
    arm.report = fresh_name(random);
    HONE_TRY(const std::string text, timed_text(replacement, arm.report));
    HONE_TRY(const BuildOutcome timed, build_text(text));
    if (!timed.program) {
      return std::optional(Fault{Status::compile, "the program does not build with this region timed", timed.log});
    }
    arm.timed = timed.program;
    return std::optional<Fault>();
  }

  // What can be told without building; nothing where it may be built.
  std::optional<Fault> refuse(const std::string& replacement) const
  {
    const std::vector<Refusal> refusals = refusals_in(replacement, region.text);
    std::string reason;
    for (std::size_t i = 0; i < std::min(refusals.size(), k_most_refusals); ++i) {
      reason += fmt::format("{}line {}: {}", i == 0 ? "" : "; ", refusals[i].line, refusals[i].what);
    }
    if (reason.empty() && !program.region.function.empty()) {
      if (const auto found = find_region(replacement, program.region, "the replacement"); !found) {
        reason = found.error().message + ": the replacement must define it";
      }
    }
    return reason.empty() ? std::nullopt : std::optional(Fault{Status::rejected, reason, ""});
  }

  void add_summary(ProgramRecord& record) const
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

  Result<double> time_of_nothing() const
  {
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i) {
      RunRequest request;
      request.command = {"/usr/bin/true"};
      request.cpus = program.time.cpus;
      HONE_TRY(const RunOutcome outcome, machine.run(*original.plain, request));
      seconds.push_back(outcome.seconds);
    }
    return median(seconds);
  }
};

Judge::Judge(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Judge::Judge(Judge&&) noexcept = default;
Judge::~Judge() = default;

const Program& Judge::program() const
{
  return m_state->program;
}

const Region& Judge::region() const
{
  return m_state->region;
}

Result<Judge> Judge::open(Program program, Machine& machine, JudgeOptions options)
{
  auto state = std::make_unique<State>(std::move(program), machine, std::move(options));
  const Program& its = state->program;
  HONE_TRY(state->region, find_region(its.region_file(), its.region, its.region.file));
  HONE_CHECK(state->build_original());
  return Judge(std::move(state));
}

Result<ProgramCheck> Judge::check()
{
  State& its = *m_state;
  const Program& program = its.program;
  ProgramCheck check;
  check.program = program.name;
  check.sources = sources_hash(program);
  check.region = to_text(program.region, its.region);
  check.text = its.region.text;
  check.lines = its.region.last_line - its.region.first_line + 1;
  for (const NamedInput& input : program.inputs) {
    its.tell("runs the original again on " + input.name);
    HONE_TRY(const RunOutcome again, its.run_original(*its.original.plain, input.values));
    const Agreement agreement = compare_outputs(program, its.known.at(input.name), again);
    check.reals += agreement.reals;
    if (!agreement.agrees && check.repeats) {
      check.repeats = false;
      check.difference = fmt::format("{}: {}", input.name, agreement.difference);
    }
  }
  its.tell("times the region");
  std::vector<double> whole, region, entries, shares;
  for (int i = 0; i < 3; ++i) {
    const Values values = draw(program.time.parameters, its.random);
    HONE_TRY(const RunOutcome plain, its.run_original(*its.original.plain, values));
    HONE_TRY(const RunOutcome timed, its.run_original(*its.original.timed, values, its.original.report));
    const RegionTime reported = State::reported(timed, its.original.report);
    whole.push_back(plain.seconds);
    region.push_back(reported.seconds);
    entries.push_back(reported.entries);
    shares.push_back(reported.seconds / timed.seconds);
  }
  check.whole_s = median(whole);
  check.region_s = median(region);
  check.entries = median(entries);
  check.share = median(shares);
  HONE_TRY(check.started_s, its.time_of_nothing());
  its.tell("leaves the region out");
  HONE_TRY(const BuildOutcome without,
           its.build_text(with_region(program.region_file(), its.region,
                                      emptied(program.region_file(), program.region, its.region))));
  if (!without.program) {
    check.without_region = "does not build";
  } else {
    std::vector<ComparedInput> compared;
    HONE_TRY(const auto fault, its.verify_all(*without.program, compared));
    check.notices_nothing = !fault;
    check.without_region = fault ? fmt::format("{}: {}", name_of(fault->status), fault->reason) : "correct";
  }
  if (count_of(program.drawn) < k_fewest_inputs) {
    check.warnings.push_back(
      fmt::format("only {:.0f} inputs can be drawn: a replacement could know them by heart; give "
                  "[draw] a range more, as a seed",
                  count_of(program.drawn)));
  }
  if (count_of(program.time.parameters) < k_fewest_inputs) {
    check.warnings.push_back(fmt::format("only {:.0f} inputs can be drawn for timed runs: give [time] a seed to draw",
                                         count_of(program.time.parameters)));
  }
  if (check.reals == 0) {
    check.warnings.emplace_back("the outputs hold no real number: the tolerance means nothing");
  }
  constexpr double k_many_starts = 0.1;
  if (check.started_s > k_many_starts * check.whole_s) {
    check.warnings.push_back(fmt::format("starting the program takes {:.0f} % of a timed run: give [time] more work",
                                         100 * check.started_s / check.whole_s));
  }
  return check;
}

Result<ProgramRecord> Judge::judge(const std::string& replacement)
{
  State& its = *m_state;
  ProgramRecord record = its.begun(replacement);
  const auto ended_by = [&record](Fault fault) {
    record.status = fault.status;
    record.reason = std::move(fault.reason);
    record.log = std::move(fault.log);
    return record;
  };
  if (auto fault = its.refuse(replacement)) {
    return ended_by(std::move(*fault));
  }
  State::Arm arm;
  HONE_TRY(auto unbuilt, its.build_replacement(replacement, arm));
  if (unbuilt) {
    return ended_by(std::move(*unbuilt));
  }
  HONE_TRY(auto wrong, its.verify_all(*arm.plain, record.compared));
  if (wrong) {
    return ended_by(std::move(*wrong));
  }
  if (!its.options.timing) {
    return record;
  }
  for (int i = 0; i < its.program.time.pairs; ++i) {
    its.tell(fmt::format("times pair {} of {}", i + 1, its.program.time.pairs));
    PairTimes times;
    HONE_TRY(auto fault, its.time_pair(arm, times));
    if (fault) {
      record.pairs.clear(); // no times of what is wrong
      return ended_by(std::move(*fault));
    }
    record.pairs.push_back(times);
  }
  its.add_summary(record);
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
