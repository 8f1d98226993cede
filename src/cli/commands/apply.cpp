// hone apply: one natural transformation on one checkpoint, through the gate.
#include "app/apply_step.h"
#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/model_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> apply(Context& context, const StepRequest& request)
{
  HONE_TRY(const StepResult result, apply_step(context, request));
  const policy::AppliedStep& step = result.step;
  const record::Verdict& verdict = step.record.verdict;
  context.terminal.out(
    fmt::format("{} on {}: {}", result.transformation, short_id(step.parent), verdict_text(verdict)));
  if (!step.checkpoint.empty()) {
    context.terminal.out(fmt::format("checkpoint {}", short_id(step.checkpoint)));
  } else if (const std::string evidence = evidence_text(context.terminal, verdict); !evidence.empty()) {
    context.terminal.out(evidence);
  }
  context.print_json(to_json(result));
  return verdict.status == record::Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_apply(CommandLine& line)
{
  auto options = std::make_shared<StepRequest>();
  CLI::App* command = line.add("apply", "Carry out one transformation on a checkpoint",
                               {"hone apply kernels/matmul reorder-loops start",
                                "hone apply kernels/softmax \"use a lookup table for exp\" --model openai/gpt-5-mini"},
                               [options](Context& context) { return apply(context, *options); });
  add_kernel_options(line, command, options->kernel);
  add_model_options(line, command);
  command
    ->add_option("TRANSFORMATION", options->transformation,
                 "name (see hone transforms list), or a sentence for a model")
    ->required();
  command->add_option("CHECKPOINT", options->checkpoint, "what it is applied to: id, prefix, branch, best or start");
}

} // namespace hone::cli
