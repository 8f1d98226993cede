// hone run: one candidate folder through the gate.
#include "app/run_candidate.h"
#include "cli/called_as.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

constexpr std::size_t k_most_reason = 300; // characters on the screen
constexpr std::size_t k_most_log_lines = 40;

// What a compiler or a gate says at length is cut between words.
std::string shortened(const std::string& text)
{
  if (text.size() <= k_most_reason) {
    return text;
  }
  const std::size_t space = text.rfind(' ', k_most_reason);
  return text.substr(0, space == std::string::npos ? k_most_reason : space) + " ... (--json has all of it)";
}

std::string first_lines(const std::string& text)
{
  const std::vector<std::string> lines = split(text, '\n');
  return lines.size() <= k_most_log_lines
           ? text
           : fmt::format("{}\n... {} more lines (--json has all of them)",
                         join(std::span(lines).first(k_most_log_lines), "\n"), lines.size() - k_most_log_lines);
}

// The same validation again: its seed draws the same sizes and values.
std::string command_that_repeats(const Context& context, const CandidateRequest& request, const std::string& seed)
{
  std::vector<std::string> words{"run"};
  words.push_back(request.naive ? "--naive" : request.candidate);
  words.insert(words.end(), {"--kernel", request.kernel.kernel, "--seed", seed});
  for (const std::string& sizes : request.kernel.sizes) {
    words.insert(words.end(), {"--size", sizes});
  }
  for (const char* name : {"state", "backend", "regime", "threads"}) {
    if (context.settings.is_from_flag(name)) {
      words.insert(words.end(), {std::string("--") + name, context.settings.text(name)});
    }
  }
  if (!request.values.empty()) {
    words.insert(words.end(), {"--values", request.values});
  }
  if (!request.size_kind.empty()) {
    words.insert(words.end(), {"--size-kind", request.size_kind});
  }
  if (request.quick) {
    words.emplace_back("--quick");
  } else if (request.untimed) {
    words.emplace_back("--no-timing");
  }
  if (!request.sweep.empty()) {
    words.insert(words.end(), {"--sizes", request.sweep});
  }
  return command_to_paste(words);
}

void print_quick(const Terminal& terminal, const CandidateRun& run)
{
  const record::Verdict& verdict = run.record->verdict;
  terminal.out(terminal.paint(tone_of(verdict.status), shortened(quick_text(run))));
  if (verdict.status == record::Status::correct) {
    terminal.out(terminal.paint(Tone::faint, "a glance: one call, few pairs; without --quick it is judged in full"));
  } else if (!verdict.log.empty()) {
    terminal.out(first_lines(verdict.log));
  }
}

void print_record(const Terminal& terminal, const record::Record& record)
{
  const record::Verdict& verdict = record.verdict;
  const std::string accuracy = record::accuracy_of(verdict);
  terminal.out(fmt::format("{} (tier {}{}){}", terminal.paint(tone_of(verdict.status), record::name_of(verdict.status)),
                           record::name_of(verdict.tier), accuracy.empty() ? "" : "; accuracy " + accuracy,
                           verdict.reason.empty() ? "" : ": " + shortened(verdict.reason)));
  if (const std::string evidence = evidence_text(terminal, verdict); !evidence.empty()) {
    terminal.out(first_lines(evidence));
  }
  if (verdict.cold || verdict.hot) {
    terminal.out(fmt::format("cold {}, hot {} per call on {}", time_text(verdict.cold), time_text(verdict.hot),
                             threads_text(record.recipe_used.threads)));
  }
  for (const record::ComparisonResult& comparison : verdict.comparisons) {
    for (const record::SizedComparison& one : comparison.by_size) {
      terminal.out(fmt::format("  {} at {}: {} per call", record::name_of(comparison.regime),
                               kernel::to_text(one.sizes), format_seconds(one.result.candidate.median)));
    }
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
  } else if (request.quick) {
    print_quick(context.terminal, run);
  } else {
    print_record(context.terminal, *run.record);
  }
  if (run.record && run.record->verdict.status != record::Status::correct) {
    if (const std::string seed = seed_of(run.record->verdict); !seed.empty()) {
      context.terminal.out("again: " + command_that_repeats(context, request, seed));
    }
  }
  if (run.sweep) {
    context.terminal.out("\n" + aligned_table(sweep_table(*run.sweep)) + "\n" + sweep_summary(*run.sweep));
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
                                "hone run my-candidate --kernel kernels/matmul --quick",
                                "hone run my-candidate --kernel kernels/matmul --no-timing --json",
                                "hone run my-candidate --kernel kernels/matmul --values large/around-a-middle"},
                               [options](Context& context) { return run(context, *options); });
  auto* folder = command->add_option("CANDIDATE", options->candidate, "folder with device.cpp, macros.h, launch.toml");
  auto* naive = command->add_flag("--naive", options->naive, "the generated naive candidate instead of a folder");
  folder->excludes(naive);
  command->add_flag("--quick", options->quick,
                    "a glance in about 3 s: one call, and a few pairs against the best checkpoint");
  command->add_flag("--no-timing", options->untimed, "validate only");
  command->add_option("--values", options->values,
                      "validate on this row or family of values alone, without timing (see `hone inputs`)");
  command->add_option("--sizes", options->sweep,
                      "time it at many sizes, too: n=2^10..2^20, n=100..1000:100, m=n=64..512,k=256");
  command->add_option("--size-kind", options->size_kind, "validate on this kind of hidden sizes alone, without timing");
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
