// What the actions of one episode work on. (internal to the policy room)
#pragma once

#include "agent/action.h"
#include "policy/agent_setting.h"
#include "policy/search_run.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hone::policy {

// One judged candidate, for the history.
struct TriedStep {
  std::string step, from, status;
  double ratio = 0;       // to `from`; 0: not right
  std::string checkpoint; // "": none
};

struct Workspace {
  SearchRun& search;
  const AgentSetting& setting;
  SearchNode start;
  SearchNode current;                       // the fastest that was found: what candidates are judged against
  std::map<std::string, std::string> draft; // files by name
  std::vector<TriedStep> tried = {};
  std::map<std::string, std::unique_ptr<tools::Bench>> benches = {}; // by content of what they look at
};

// "current" (or ""), "start", "best", or the beginning of a checkpoint's id. An error is for the model.
Result<SearchNode> node_named(const Workspace& workspace, const std::string& name);

// Judges a candidate against a checkpoint; a right one becomes a checkpoint, a faster one the current candidate.
Result<agent::ActionOutcome> judge_candidate(Workspace& workspace, const SearchNode& from, record::Contender contender,
                                             const std::string& step);

agent::ActionOutcome refused(std::string text); // the action was not carried out

std::string short_id(const std::string& id);
std::string time_text(double seconds); // "812 us"

} // namespace hone::policy
