// hone replay: the path to a checkpoint carried out again, here.
#include "app/replay.h"

#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

// "FAST 3.42x [3.40, 3.44]"; of the start, its time.
std::string figure_text(const record::Record& record)
{
  const record::Verdict& verdict = record.verdict;
  if (verdict.status != record::Status::correct) {
    return fmt::format("{}: {}", record::name_of(verdict.status), verdict.reason);
  }
  const record::ComparisonResult* comparison = comparison_with_parent(record);
  if (comparison == nullptr) {
    return time_text(verdict.cold ? verdict.cold : verdict.hot);
  }
  return fmt::format("{} {}", record::name_of(comparison->verdict), ratio_text(comparison->ratio, comparison->ci95));
}

// Whether the steps led to the same files once more, in words.
std::string words_of(const bundle::RepeatedStep& again)
{
  switch (again.how) {
  case bundle::RepeatedStep::How::taken:
    return "as it is";
  case bundle::RepeatedStep::How::builtin:
    return again.same ? "same files, by the built-in engine" : "OTHER files, by the built-in engine";
  case bundle::RepeatedStep::How::model:
    break;
  }
  return again.same ? "same files, from its answers" : "OTHER files, from its answers";
}

double ratio_of(const record::Record& record)
{
  const record::ComparisonResult* comparison = comparison_with_parent(record);
  return comparison == nullptr ? 1 : comparison->ratio;
}

void print_table(const Terminal& terminal, const std::vector<policy::ReplayedStep>& steps)
{
  std::vector<std::vector<std::string>> rows{{"step", "recorded", "here", "", "checkpoint here"}};
  double then = 1;
  double now = 1;
  for (const policy::ReplayedStep& step : steps) {
    then *= ratio_of(step.recorded.record);
    now *= ratio_of(step.here);
    rows.push_back({step.recorded.transformation, figure_text(step.recorded.record), figure_text(step.here),
                    agrees(step) ? "agrees" : "DIFFERS", step.checkpoint.empty() ? "-" : short_id(step.checkpoint)});
  }
  rows.push_back({"product of the steps", ratio_text(then), ratio_text(now), "", ""});
  terminal.out(aligned_table(rows));
}

void print_carried_out(const Terminal& terminal, const std::vector<bundle::RepeatedStep>& steps)
{
  std::vector<std::vector<std::string>> rows{{"step", "carried out again"}};
  for (const bundle::RepeatedStep& again : steps) {
    rows.push_back({again.transformation, words_of(again)});
    for (const std::string& other : again.other) {
      rows.push_back({"", "- " + other});
    }
  }
  terminal.out(aligned_table(rows));
}

Result<Exit> replay(Context& context, const ReplayPathRequest& request)
{
  const Terminal& terminal = context.terminal;
  HONE_TRY(const ReplayResult result,
           replay_path(context, request,
                       [&](const std::vector<bundle::RepeatedStep>& steps) { print_carried_out(terminal, steps); }));
  print_table(terminal, result.steps);
  for (const policy::ReplayedStep& step : result.steps) {
    if (step.here.verdict.status != record::Status::correct) {
      terminal.out(fmt::format("{} is not right here; the steps after it build on it and were not tried\n{}",
                               step.recorded.transformation, evidence_text(terminal, step.here.verdict)));
    }
  }
  if (result.unpacked) {
    terminal.out("nothing was kept: --into KERNEL makes checkpoints of it there");
  }
  context.print_json(to_json(result));
  if (result.stopped) {
    return Exit::interrupted;
  }
  return result.correct() && result.same() ? Exit::ok : Exit::negative;
}

} // namespace

void add_replay(CommandLine& line)
{
  auto options = std::make_shared<ReplayPathRequest>();
  CLI::App* command =
    line.add("replay", "Carry the recorded path to a checkpoint out again on this machine",
             {"hone replay kernels/matmul best --dry-run          # recorded ratios beside those measured now",
              "hone replay kernels/matmul --from /mnt/other/.hone  # what another machine found, judged here",
              "hone replay kernels/matmul best --size m=512        # the same steps at other sizes",
              "hone replay matmul-cpu.hone                         # what somebody exported: same files, still right?",
              "hone replay matmul-cpu.hone --into kernels/matmul   # and make checkpoints of it there"},
             [options](Context& context) { return replay(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "where the path ends: id, prefix, branch, best or start");
  command->add_option("--from", options->from, "take the path from this state folder (another machine's KERNEL/.hone)");
  command->add_option("--into", options->into,
                      "with a bundle (NAME.hone): the kernel whose workflow takes the checkpoints");
  command->add_flag("--dry-run", options->dry_run, "only show; make no checkpoints");
}

} // namespace hone::cli
