// What the policy `agent` needs besides a policy's context: a model, its limits, and performance tools.
#pragma once

#include "agent/agent.h"
#include "tools/bench.h"
#include "util/fs.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hone::policy {

struct AgentSetting {
  agent::EpisodeSpec model;       // who is asked, and its limits; texts and actions are filled in
  std::string limits;             // for the task: "40 calls, 110 s"
  fs::path prompts;               // share_folder() / "prompts"
  fs::path transcripts;           // a folder: one file per episode; an interrupted one goes on
  std::vector<std::string> tools; // performance tools that it may ask for; empty: none
  // A bench for a candidate of the kernel, or of another one in its place: the control of an experiment, where reports
  // look as they should and say nothing about the candidate.
  std::function<Result<std::unique_ptr<tools::Bench>>(tools::Subject subject, std::vector<std::string> done)> bench;
  bool placebo = false;
  std::size_t report_tokens = 700; // of one report
};

} // namespace hone::policy
