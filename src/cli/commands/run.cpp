// hone run: one candidate folder through the gate.
#include "app/run_candidate.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

void print_record(const Terminal& terminal, const record::Record& record)
{
  const record::Verdict& verdict = record.verdict;
  terminal.out(fmt::format("{} (tier {}){}", terminal.paint(tone_of(verdict.status), record::name_of(verdict.status)),
                           record::name_of(verdict.tier), verdict.reason.empty() ? "" : ": " + verdict.reason));
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

Result<Exit> run(Context& context, const CandidateRequest& request)
{
  HONE_TRY(const CandidateRun run, run_candidate(context, request));
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  if (run.refused) {
    context.terminal.out(fmt::format(
      "{}: {}", context.terminal.paint(Tone::bad, record::name_of(record::Status::constraints)), run.refused->text()));
  } else {
    print_record(context.terminal, *run.record);
  }
  context.print_json(to_json(run));
  return run.record && run.record->verdict.status == record::Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_run(CommandLine& line)
{
  auto options = std::make_shared<CandidateRequest>();
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
