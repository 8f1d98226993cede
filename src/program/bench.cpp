#include "program/bench.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace hone::program {

namespace {

using record::Status;

constexpr std::size_t k_log_shown = 8 << 10;
constexpr double k_patience = 10;  // times the original's time that a replacement may take
constexpr double k_patience_s = 5; // and so much more

std::string fresh_name(Random& random)
{
  return fmt::format("hone_region_{:016x}", random.next());
}

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

RegionTime reported(const RunOutcome& outcome, const std::string& report)
{
  const auto file = outcome.files.find(report);
  return file == outcome.files.end() ? RegionTime{} : region_time_in(file->second).value_or(RegionTime{});
}

} // namespace

Bench::Bench(Program its_program, Machine& its_machine, JudgeOptions its_options)
  : m_program(std::move(its_program)), m_machine(its_machine), m_options(std::move(its_options)),
    m_seed(m_options.seed != 0 ? m_options.seed : fresh_seed()), m_random(m_seed)
{
}

void Bench::tell(std::string_view text) const
{
  if (m_options.progress) {
    m_options.progress(text);
  }
}

Result<void> Bench::prepare()
{
  HONE_TRY(m_region, find_region(m_program.region_file(), m_program.region, m_program.region.file));
  return build_original();
}

Result<std::shared_ptr<const BuiltProgram>> Bench::build_plain(const std::string& replacement)
{
  HONE_TRY(const BuildOutcome built, build_text(with_region(m_program.region_file(), m_region, replacement)));
  return built.program;
}

Result<Agreement> Bench::repeat()
{
  Agreement all;
  for (const NamedInput& input : m_program.inputs) {
    tell("runs the original again on " + input.name);
    HONE_TRY(const RunOutcome again, run_original(*m_original.plain, input.values));
    const Agreement one = compare_outputs(m_program, m_known.at(input.name), again);
    all.reals += one.reals;
    if (!one.agrees && all.agrees) {
      all.agrees = false;
      all.difference = fmt::format("{}: {}", input.name, one.difference);
    }
  }
  return all;
}

Result<OriginalTimes> Bench::time_original()
{
  const Values values = draw(m_program.time.parameters, m_random);
  HONE_TRY(const RunOutcome plain, run_original(*m_original.plain, values));
  HONE_TRY(const RunOutcome timed, run_original(*m_original.timed, values, m_original.report));
  return OriginalTimes{plain.seconds, timed.seconds, reported(timed, m_original.report)};
}

Result<void> Bench::go_on() const
{
  return m_options.stop.stop_requested() ? Result<void>(fail("stopped")) : Result<void>();
}

std::unexpected<Error> Bench::original_fails(const std::string& how, const Values& values) const
{
  return fail(fmt::format("the original {} with {}", how, to_text(values)),
              "give it inputs, and ranges to draw from, on which it works; [program] limit is in seconds",
              {m_program.file.string(), 1, 0});
}

Result<RunOutcome> Bench::run(const BuiltProgram& built, const Values& values, double limit_s,
                              const std::string& report) const
{
  HONE_CHECK(go_on());
  Values all = values;
  all["tree"] = "{tree}"; // the machine's to fill in
  RunRequest request;
  for (const std::string& word : m_program.run) {
    HONE_TRY(std::string text, filled(word, all));
    request.command.push_back(std::move(text));
  }
  HONE_TRY(request.input, filled(m_program.input, values));
  for (const auto& [name, text] : m_program.files) {
    HONE_TRY(request.files[name], filled(text, values));
  }
  for (const OutputSpec& output : m_program.outputs) {
    if (output.name != "stdout") {
      request.collect.push_back(output.name);
    }
  }
  if (!report.empty()) {
    request.collect.push_back(report);
  }
  request.limit_s = limit_s;
  request.cpus = m_program.time.cpus;
  return m_machine.run(built, request);
}

Result<RunOutcome> Bench::run_original(const BuiltProgram& built, const Values& values, const std::string& report) const
{
  HONE_TRY(RunOutcome outcome, run(built, values, m_program.limit_s, report));
  if (outcome.exit_status != 0) {
    return original_fails(how_it_ended(outcome, m_program.limit_s), values);
  }
  for (const OutputSpec& output : m_program.outputs) {
    if (output.name != "stdout" && !outcome.files.contains(output.name)) {
      return original_fails("wrote no " + output.name, values);
    }
  }
  if (outcome.cut) {
    return original_fails("wrote more than is kept of stdout", values);
  }
  return outcome;
}

Result<BuildOutcome> Bench::build_text(const std::string& text) const
{
  HONE_CHECK(go_on());
  Tree tree = m_program.sources;
  tree[m_program.region.file] = text;
  return m_machine.build(tree, m_program.build);
}

Result<std::string> Bench::timed_text(const std::string& replacement, const std::string& name) const
{
  return instrumented(m_program.region_file(), m_program.region, m_region, replacement, name);
}

Result<void> Bench::build_original()
{
  tell("builds the original");
  const auto must = [&](const BuildOutcome& built, const char* what) -> Result<void> {
    if (built.program) {
      return {};
    }
    return fail(fmt::format("the original {}: {}", what, built.log.substr(0, k_log_shown)),
                "the build command must work in a copy of the sources without a network; tools that the build itself "
                "makes cannot be executed there",
                {m_program.file.string(), 1, 0});
  };
  HONE_TRY(const BuildOutcome plain, build_text(m_program.region_file()));
  HONE_CHECK(must(plain, "does not build"));
  m_original.report = fresh_name(m_random);
  HONE_TRY(const std::string text, timed_text(m_region.text, m_original.report));
  HONE_TRY(const BuildOutcome timed, build_text(text));
  HONE_CHECK(must(timed, "does not build with its region timed"));
  m_original.plain = plain.program;
  m_original.timed = timed.program;
  for (const NamedInput& input : m_program.inputs) {
    tell("runs the original on " + input.name);
    HONE_TRY(m_known[input.name], run_original(*m_original.plain, input.values));
  }
  return {};
}

Result<std::optional<Fault>> Bench::build(const std::string& replacement, Arm& arm)
{
  tell("builds the replacement");
  HONE_TRY(const BuildOutcome plain, build_text(with_region(m_program.region_file(), m_region, replacement)));
  if (!plain.program) {
    return std::optional(Fault{Status::compile, "the program does not build with this region", plain.log});
  }
  arm.plain = plain.program;
  if (!m_options.timing) {
    return std::optional<Fault>();
  }
  arm.report = fresh_name(m_random);
  HONE_TRY(const std::string text, timed_text(replacement, arm.report));
  HONE_TRY(const BuildOutcome timed, build_text(text));
  if (!timed.program) {
    return std::optional(Fault{Status::compile, "the program does not build with this region timed", timed.log});
  }
  arm.timed = timed.program;
  return std::optional<Fault>();
}

// Runs a replacement on one input and compares what it wrote.
Result<std::optional<Fault>> Bench::verify_on(const BuiltProgram& built, const Values& values,
                                              const RunOutcome& expected, const std::string& name,
                                              ComparedInput& compared) const
{
  const double limit_s = std::min(m_program.limit_s, k_patience * expected.seconds + k_patience_s);
  HONE_TRY(const RunOutcome got, run(built, values, limit_s));
  compared = {name, to_text(values), 0};
  return fault_of(got, expected, values, name, limit_s, compared.worst);
}

std::optional<Fault> Bench::fault_of(const RunOutcome& got, const RunOutcome& expected, const Values& values,
                                     const std::string& name, double limit_s, double& worst) const
{
  const std::string where = fmt::format("on {} ({})", name, to_text(values));
  if (got.exit_status != 0) {
    return Fault{got.timed_out ? Status::timeout : Status::runtime,
                 fmt::format("{} {}", how_it_ended(got, limit_s), where), printable(got.err.substr(0, k_log_shown))};
  }
  const Agreement agreement = compare_outputs(m_program, expected, got);
  worst = std::max(worst, agreement.worst);
  if (!agreement.agrees) {
    return Fault{Status::correctness, fmt::format("{}: {}", where, printable(agreement.difference)), ""};
  }
  return std::nullopt;
}

Result<std::optional<Fault>> Bench::verify(const BuiltProgram& built, std::vector<ComparedInput>& compared)
{
  for (const NamedInput& input : m_program.inputs) {
    tell("verifies " + input.name);
    HONE_TRY(auto fault, verify_on(built, input.values, m_known.at(input.name), input.name, compared.emplace_back()));
    if (fault) {
      return fault;
    }
  }
  for (int i = 0; i < m_program.fresh; ++i) {
    tell(fmt::format("verifies fresh input {} of {}", i + 1, m_program.fresh));
    const Values values = draw(m_program.drawn, m_random);
    HONE_TRY(const RunOutcome expected, run_original(*m_original.plain, values));
    HONE_TRY(auto fault, verify_on(built, values, expected, "a fresh input", compared.emplace_back()));
    if (fault) {
      return fault;
    }
  }
  return std::optional<Fault>();
}

// One run of each of the four builds, in an order of their own, on a fresh input. All outputs are compared.
Result<std::optional<Fault>> Bench::time_pair(const Arm& replaced, PairTimes& times)
{
  const Values values = draw(m_program.time.parameters, m_random);
  std::array<int, 4> order{0, 1, 2, 3};
  std::ranges::shuffle(order, m_random);
  std::array<RunOutcome, 4> outcomes;
  for (const int arm : order) {
    const auto place = static_cast<std::size_t>(arm);
    if (arm == 0) {
      HONE_TRY(outcomes[place], run_original(*m_original.plain, values));
    } else if (arm == 1) {
      HONE_TRY(outcomes[place], run_original(*m_original.timed, values, m_original.report));
    } else {
      HONE_TRY(outcomes[place], run(arm == 2 ? *replaced.plain : *replaced.timed, values, m_program.limit_s,
                                    arm == 2 ? "" : replaced.report));
    }
  }
  double worst = 0;
  for (const std::size_t arm : {2, 3}) {
    if (auto fault = fault_of(outcomes[arm], outcomes[0], values, "a timed input", m_program.limit_s, worst)) {
      return fault;
    }
  }
  times.original = outcomes[0].seconds;
  times.timed_original = outcomes[1].seconds;
  times.replaced = outcomes[2].seconds;
  times.timed_replaced = outcomes[3].seconds;
  const RegionTime theirs = reported(outcomes[1], m_original.report);
  const RegionTime ours = reported(outcomes[3], replaced.report);
  times.region_original = theirs.seconds;
  times.region_replaced = ours.seconds;
  times.entries_original = theirs.entries;
  times.entries_replaced = ours.entries;
  return std::optional<Fault>();
}

Result<double> Bench::time_of_nothing() const
{
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) {
    RunRequest request;
    request.command = {"/usr/bin/true"};
    request.cpus = m_program.time.cpus;
    HONE_TRY(const RunOutcome outcome, m_machine.run(*m_original.plain, request));
    seconds.push_back(outcome.seconds);
  }
  return median(seconds);
}
} // namespace hone::program
