#include "policy/agent/actions.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

Result<tools::Bench*> bench_of(Workspace& workspace, const SearchNode& node)
{
  const store::Checkpoint& checkpoint = node.checkpoint;
  std::unique_ptr<tools::Bench>& bench = workspace.benches[checkpoint.id];
  if (!bench) {
    HONE_TRY(bench, workspace.setting.bench({short_id(checkpoint.id), {checkpoint.candidate, checkpoint.point, {}, {}}},
                                            node.done));
  }
  return bench.get();
}

Result<agent::ActionOutcome> profile(Workspace& workspace, const std::string& name, const std::string& candidate,
                                     const Json& arguments)
{
  const auto node = node_named(workspace, candidate);
  if (!node) {
    return refused(node.error().message);
  }
  if (workspace.search.search_seconds_left() <= 0) {
    return refused("There is no time for it. Ask for finish.");
  }
  HONE_TRY(const tools::Tool* tool, tools::find_tool(name));
  HONE_TRY(tools::Bench* const bench, bench_of(workspace, *node));
  auto report = tools::run_tool(*tool, *bench, arguments);
  if (!report) {
    return refused(report.error().message + (report.error().hint.empty() ? "" : ". " + report.error().hint));
  }
  if (workspace.setting.placebo) {
    report->subject =
      fmt::format("{} of {} on {}, {}", short_id(node->checkpoint.id), workspace.search.context().kernel->name,
                  workspace.search.context().backend.name(), kernel::to_text(workspace.search.context().recipe.sizes));
  }
  return agent::ActionOutcome{.text = tools::to_text(*report, workspace.setting.report_tokens)};
}

} // namespace

agent::Action profile_action(Workspace& workspace)
{
  std::string about = "Measures a candidate with a performance tool and says what it found. ";
  for (const std::string& name : workspace.setting.tools) {
    if (const auto tool = tools::find_tool(name)) {
      about += fmt::format("{}: {} ", name, (*tool)->summary());
    }
  }
  about += fmt::format("Example: {{\"tool\": \"{}\"}}", workspace.setting.tools.front());
  return {"profile",
          about,
          {{"tool", agent::ActionType::text, "Which one.", true, workspace.setting.tools},
           {"candidate", agent::ActionType::text, "An id, current, start or best; left out: current."},
           {"arguments", agent::ActionType::object, "Arguments of the tool; usually left out."}},
          [&workspace](const Json& arguments) {
            return profile(workspace, arguments["tool"].get<std::string>(), arguments.value("candidate", ""),
                           arguments.value("arguments", Json::object()));
          }};
}

} // namespace hone::policy
