#include "policy/agent/actions.h"
#include "rewrite/agent_text.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

// Whether a file may be in a draft, and who says which ones.
bool may_hold(const Workspace& workspace, const std::string& file)
{
  return workspace.draft.contains(file) || file == "macros.h";
}

Result<agent::ActionOutcome> edit(Workspace& workspace, const Json& arguments)
{
  if (const std::string from = arguments.value("candidate", ""); !from.empty()) {
    const auto node = node_named(workspace, from);
    if (!node) {
      return refused(node.error().message);
    }
    workspace.draft = node->checkpoint.candidate.files;
  }
  const std::string file = arguments["file"].get<std::string>();
  if (!may_hold(workspace, file)) {
    std::vector<std::string> names{"macros.h"};
    for (const auto& [name, text] : workspace.draft) {
      names.push_back(name);
    }
    return refused(
      fmt::format("there is no file '{}': {}", file, did_you_mean(file, names, "there are " + join(names, ", "))));
  }
  const std::string text = arguments.value("text", ""), search = arguments.value("search", "");
  std::string& draft = workspace.draft[file];
  if (!arguments.contains("text")) {
    return refused("give `text`: the whole file, or with `search` the lines that take its place");
  }
  const std::string before = draft;
  if (!arguments.contains("search")) {
    draft = text;
  } else if (auto changed = rewrite::edited(draft, file, search, text)) {
    draft = std::move(*changed);
  } else {
    return refused(changed.error().message);
  }
  if (draft == before) {
    return refused(fmt::format("that leaves {} as it is", file));
  }
  return agent::ActionOutcome{.text = fmt::format("The draft's {} has {} lines now. Ask for run to have it judged.",
                                                  file, split(draft, '\n').size() - (draft.ends_with('\n') ? 1 : 0))};
}

} // namespace

agent::Action edit_action(Workspace& workspace)
{
  const std::string device = workspace.search.context().backend.dialect().device_file;
  return {
    "edit",
    fmt::format("Changes a file of the draft, which begins as the current candidate: gives the whole file as text, "
                "or replaces the lines of search, which stand in it exactly once, by text. Nothing is judged "
                "before run. Example: {{\"file\": \"{}\", \"search\": \"  float sum = 0;\", \"text\": \"  float sum = "
                "0, more = 0;\"}}",
                device),
    {{"file", agent::ActionType::text, "Its name.", true},
     {"text", agent::ActionType::text, "The new lines, or the whole file."},
     {"search", agent::ActionType::text, "Whole lines as they are now; left out: text is the whole file."},
     {"candidate", agent::ActionType::text,
      "Begins the draft anew from this one first: an id, current, start or best."}},
    [&workspace](const Json& arguments) { return edit(workspace, arguments); }};
}

} // namespace hone::policy
