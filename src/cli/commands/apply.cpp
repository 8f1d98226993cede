// hone apply: one natural transformation on one checkpoint, through the gate.
#include "cli/climb_view.h"
#include "cli/format.h"
#include "cli/model_options.h"
#include "cli/optimizer.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct ApplyOptions {
  KernelOptions kernel;
  std::string transformation;
  std::string checkpoint = "best";
};

Result<Exit> apply(Context& context, const ApplyOptions& options)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  HONE_TRY(const AppliedStep step, apply_transformation(policy, options.transformation, options.checkpoint));
  context.terminal.clear_status();
  const Verdict& verdict = step.record.verdict;
  context.terminal.out(
    fmt::format("{} on {}: {}", options.transformation, short_id(step.parent), verdict_text(verdict)));
  if (!step.checkpoint.empty()) {
    context.terminal.out(fmt::format("checkpoint {}", short_id(step.checkpoint)));
  } else if (const std::string evidence = evidence_text(context.terminal, verdict); !evidence.empty()) {
    context.terminal.out(evidence);
  }
  context.print_json({{"transformation", options.transformation},
                      {"parent", step.parent},
                      {"checkpoint", step.checkpoint},
                      {"record", to_json(step.record)}});
  return verdict.status == Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_apply(CommandLine& line)
{
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* command =
    line.add("apply", "Carry out one transformation on a checkpoint", {"hone apply kernels/matmul reorder-loops start"},
             [options](Context& context) { return apply(context, *options); });
  add_kernel_options(line, command, options->kernel);
  add_model_options(line, command);
  command->add_option("TRANSFORMATION", options->transformation, "name; see hone transforms list")->required();
  command->add_option("CHECKPOINT", options->checkpoint, "what it is applied to: id, prefix, branch, best or start");
}

} // namespace hone::cli
