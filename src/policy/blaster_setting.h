// What the policy `blaster` needs besides a policy's context: a base of knowledge, performance tools, and how it
// searches.
#pragma once

#include "knowledge/knowledge.h"
#include "tools/bench.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone::policy {

// How a step is chosen among those that may be tried.
enum class ChoiceRule {
  weighted, // at random, by what they are expected to gain
  softmax,  // at random, by its exponential
  ucb,      // the highest reward that is still likely, by UCB1: what was tried seldom gets its turn
  greedy,   // always the most promising
};
std::string_view name_of(ChoiceRule rule); // "weighted", ...
std::vector<std::string> choice_rule_names();
Result<ChoiceRule> choice_rule_named(std::string_view name);

struct BlasterSetting {
  knowledge::Base* base = nullptr; // outlives the policy's run
  std::string device, device_name; // of states: the fingerprint, and its name
  // A bench for a candidate. Empty: what bounds it is not looked at, and states are kinds of kernels only.
  std::function<Result<std::unique_ptr<tools::Bench>>(tools::Subject subject, std::vector<std::string> done)> bench;
  int trajectories = 3; // of a round
  int steps = 8;        // of a trajectory
  ChoiceRule rule = ChoiceRule::weighted;
  bool learns = true; // after each round what is expected is updated; else measurements alone are kept
  // Asks a model: what stays the same, and the task; empty: there is none. Its name, for what it says.
  std::function<Result<std::string>(const std::string& system, const std::string& task)> ask;
  std::string model;
  std::string rank_prompt, update_prompt; // what stays the same: prompts/blaster-rank.md, prompts/blaster-update.md
};

} // namespace hone::policy
