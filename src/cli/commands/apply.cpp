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

// The step that a sentence asks for.
Result<Transformation> transformation_for(const PolicyContext& policy, const std::string& sentence)
{
  const Place argument{"hone apply", 0, 0};
  Result<Transformation> step = free_transformation(sentence);
  if (!step) {
    return fail(step.error().message, step.error().hint, argument);
  }
  if (find_transformation(policy.catalogue, step->name)) {
    return fail(fmt::format("'{}' is a step of the catalogue", step->name),
                fmt::format("`hone apply KERNEL {}` carries it out; or say more", step->name), argument);
  }
  if (!policy.engine.knows(step->name)) {
    return fail("the built-in engine carries out the steps of the catalogue only, and this is a sentence",
                "add --model (docs/models.md says who may answer), or take one of `hone transforms list`", argument);
  }
  return step;
}

Result<Exit> apply(Context& context, const ApplyOptions& options)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  std::string name = options.transformation;
  if (is_sentence(name)) {
    HONE_TRY(Transformation step, transformation_for(policy, name));
    name = step.name;
    climb.catalogue.push_back(std::move(step)); // which the policy looks into
  }
  HONE_TRY(const AppliedStep step, apply_transformation(policy, name, options.checkpoint));
  context.terminal.clear_status();
  const Verdict& verdict = step.record.verdict;
  context.terminal.out(fmt::format("{} on {}: {}", name, short_id(step.parent), verdict_text(verdict)));
  if (!step.checkpoint.empty()) {
    context.terminal.out(fmt::format("checkpoint {}", short_id(step.checkpoint)));
  } else if (const std::string evidence = evidence_text(context.terminal, verdict); !evidence.empty()) {
    context.terminal.out(evidence);
  }
  context.print_json({{"transformation", name},
                      {"parent", step.parent},
                      {"checkpoint", step.checkpoint},
                      {"record", to_json(step.record)}});
  return verdict.status == Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_apply(CommandLine& line)
{
  auto options = std::make_shared<ApplyOptions>();
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
