#include "policy/agent/actions.h"
#include "policy/attempt.h"
#include "rewrite/agent_text.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

std::string listed_steps(const Workspace& workspace)
{
  const PolicyContext& context = workspace.search.context();
  std::string here, later;
  for (const catalogue::Transformation& step : context.catalogue) {
    const auto why =
      catalogue::why_not_applicable(step, *context.kernel, context.backend.name(), workspace.current.done);
    const std::string line =
      fmt::format("- {}{}: {}. Relieves: {}.", step.name, context.engine.knows(step.name) ? "" : " (by hand)",
                  step.intent, step.bottleneck);
    if (!why) {
      here += line + "\n";
    } else if (!catalogue::why_not_applicable(step, *context.kernel, context.backend.name(), step.after)) {
      later += fmt::format("- {}: {}\n", step.name, *why);
    }
  }
  return "Steps that may apply to the current candidate (what is `by hand` you edit yourself):\n" + here
         + (later.empty() ? "" : "Not now:\n" + later);
}

std::string history_text(const Workspace& workspace)
{
  std::string text =
    fmt::format("start {}; current {} ({:.3g}x the start's speed)\n", short_id(workspace.start.checkpoint.id),
                short_id(workspace.current.checkpoint.id), workspace.current.gain.ratio);
  for (const TriedStep& tried : workspace.tried) {
    text += tried.ratio > 0 ? fmt::format("- {} on {}: {:.3g}x, kept as {}\n", tried.step, short_id(tried.from),
                                          tried.ratio, short_id(tried.checkpoint))
                            : fmt::format("- {} on {}: {}\n", tried.step, short_id(tried.from), tried.status);
  }
  return text;
}

Result<agent::ActionOutcome> read(const Workspace& workspace, const std::string& topic, const std::string& name)
{
  if (topic == "steps") {
    return agent::ActionOutcome{.text = listed_steps(workspace)};
  }
  if (topic == "history") {
    return agent::ActionOutcome{.text = history_text(workspace)};
  }
  if (topic == "draft") {
    return agent::ActionOutcome{.text = rewrite::files_text(workspace.draft)};
  }
  if (topic == "step") {
    const auto step = catalogue::find_transformation(workspace.search.context().catalogue, name);
    return step ? agent::ActionOutcome{.text = (*step)->intent + ".\n\n" + (*step)->body}
                : refused(step.error().message + ". " + step.error().hint);
  }
  const auto node = node_named(workspace, name);
  if (!node) {
    return refused(node.error().message);
  }
  const store::Checkpoint& checkpoint = node->checkpoint;
  const std::string point = checkpoint.point.empty() ? "" : ", tuned to " + kernel::to_text(checkpoint.point);
  return agent::ActionOutcome{.text = fmt::format("candidate {}{}\n{}", short_id(checkpoint.id), point,
                                                  rewrite::files_text(checkpoint.candidate.files))};
}

} // namespace

agent::Action read_action(Workspace& workspace)
{
  return {
    "read",
    "Shows the files of a candidate or of the draft, the steps there are, how a step is carried out, or what was "
    "tried. Example: {\"topic\": \"steps\"}",
    {{"topic", agent::ActionType::text, "What to show.", true, {"candidate", "draft", "steps", "step", "history"}},
     {"name", agent::ActionType::text,
      "Of a candidate: its id, current, start or best. Of a step: its name, as in cache-tiling."}},
    [&workspace](const Json& arguments) {
      return read(workspace, arguments["topic"].get<std::string>(), arguments.value("name", ""));
    }};
}

} // namespace hone::policy
