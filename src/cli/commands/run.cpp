// hone run: one candidate folder through the gate.
#include "cli/format.h"
#include "cli/workbench.h"
#include "lower/lower.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct RunOptions {
  KernelOptions kernel;
  std::string candidate;
  bool naive = false;
  bool untimed = false;
  std::string values, size_kind; // rows that validation is limited to
};

template <class T> Result<T> from_flag(Result<T> named, const char* flag)
{
  if (!named) {
    named.error().place = Place{flag, 0, 0};
  }
  return named;
}

Result<ForcedInputs> forced_inputs(const RunOptions& options)
{
  ForcedInputs forced;
  if (!options.values.empty()) {
    HONE_TRY(forced.values, from_flag(values_named(options.values), "--values"));
  }
  if (!options.size_kind.empty()) {
    HONE_TRY(forced.sizes, from_flag(size_row_named(options.size_kind), "--size-kind"));
  }
  return forced;
}

Result<Contender> contender_for(const Workbench& bench, const RunOptions& options)
{
  if (options.naive) {
    HONE_TRY(Candidate candidate, naive_candidate(*bench.kernel, bench.backend->dialect()));
    TuningPoint point = candidate.plan.tuning.defaults();
    return Contender{std::move(candidate), std::move(point), {}, {}};
  }
  return contender_named(bench, nullptr, options.candidate);
}

Json run_json(const Workbench& bench, const Record& record)
{
  const Verdict& verdict = record.verdict;
  Json checks = Json::array();
  for (const CheckResult& check : verdict.checks) {
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  Json spent = Json::object();
  for (const auto& [phase, seconds] : verdict.spent) {
    spent[phase] = seconds;
  }
  return {{"kernel", bench.kernel->name},
          {"backend", bench.backend->name()},
          {"candidate", record.candidate},
          {"point", point_json(record.point)},
          {"recipe", to_json(record.recipe_used)},
          {"status", name_of(verdict.status)},
          {"tier", name_of(verdict.tier)},
          {"reason", verdict.reason},
          {"log", verdict.log},
          {"errors",
           {{"worst_normalised", verdict.errors.worst_normalised},
            {"worst_relative", verdict.errors.worst_relative},
            {"where", verdict.errors.worst_where}}},
          {"time_s", {{"cold", time_json(verdict.cold)}, {"hot", time_json(verdict.hot)}}},
          {"preparation_s", time_json(verdict.preparation())},
          {"checks", checks},
          {"spent", spent},
          {"record", record.id}};
}

// The answer to a wrong candidate folder is a verdict too: agents feed this command with anything.
Json refused_json(const Workbench& bench, const Error& error)
{
  return {{"kernel", bench.kernel->name},
          {"backend", bench.backend->name()},
          {"status", name_of(Status::constraints)},
          {"tier", name_of(bench.backend->tier())},
          {"reason", error.text()},
          {"errors", nullptr},
          {"time_s", {{"cold", nullptr}, {"hot", nullptr}}},
          {"checks", Json::array()},
          {"spent", Json::object()}};
}

void print_record(const Terminal& terminal, const Record& record)
{
  const Verdict& verdict = record.verdict;
  terminal.out(fmt::format("{} (tier {}){}", terminal.paint(tone_of(verdict.status), name_of(verdict.status)),
                           name_of(verdict.tier), verdict.reason.empty() ? "" : ": " + verdict.reason));
  if (const std::string evidence = evidence_text(terminal, verdict); !evidence.empty()) {
    terminal.out(evidence);
  }
  if (verdict.cold || verdict.hot) {
    terminal.out(fmt::format("cold {}, hot {} per call on {}", time_text(verdict.cold), time_text(verdict.hot),
                             threads_text(record.recipe_used.threads)));
  }
  if (const auto preparation = verdict.preparation()) {
    terminal.out(preparation_text("weights", *preparation));
  }
}

Result<Exit> run(Context& context, const RunOptions& options)
{
  HONE_TRY(const ForcedInputs forced, forced_inputs(options));
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  const auto contender = contender_for(bench, options);
  if (!contender) {
    context.print_json(refused_json(bench, contender.error()));
    context.terminal.out(
      fmt::format("{}: {}", context.terminal.paint(Tone::bad, name_of(Status::constraints)), contender.error().text()));
    return Exit::negative;
  }
  HONE_TRY(const auto executor, open_executor(bench, context, forced));
  Job job;
  job.kind = options.untimed || forced.any() ? Job::Kind::validate : Job::Kind::measure;
  job.contender = *contender;
  job.recipe = bench.recipe;
  job.depth = Depth::promote;
  job.both_regimes = true;
  context.terminal.status("through the gate ...");
  HONE_TRY(const Record record, executor->run(job));
  context.terminal.clear_status();
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  print_record(context.terminal, record);
  context.print_json(run_json(bench, record));
  return record.verdict.status == Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_run(CommandLine& line)
{
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = line.add("run", "Put one candidate through the gate: build, validate, time",
                               {"hone run my-candidate --kernel kernels/matmul",
                                "hone run --naive --kernel kernels/softmax --backend opencl",
                                "hone run my-candidate --kernel kernels/matmul --no-timing --json",
                                "hone run my-candidate --kernel kernels/matmul --values large/around-a-middle"},
                               [options](Context& context) { return run(context, *options); });
  auto* folder = command->add_option("CANDIDATE", options->candidate, "folder with device.cpp, macros.h, launch.toml");
  auto* naive = command->add_flag("--naive", options->naive, "the generated naive candidate instead of a folder");
  folder->excludes(naive);
  command->add_flag("--no-timing", options->untimed, "validate only");
  command->add_option("--values", options->values,
                      "validate on this row or family of values alone, without timing (see `hone inputs`)");
  command->add_option("--size-kind", options->size_kind, "validate on this kind of hidden sizes alone, without timing");
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
