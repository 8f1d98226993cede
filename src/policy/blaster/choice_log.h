// Choices of a climb as they were made: a climb that is resumed makes them again, whatever the base has learned since,
// and people can read what each rested on. (internal to the policy blaster)
#pragma once

#include "knowledge/knowledge.h"
#include "policy/policy.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::policy {

struct MadeChoice {
  int round = 0, trajectory = 0, step = 0;
  std::string before; // checkpoint
  std::string state, technique;
  knowledge::Gain predicted;
  bool transferred = false;
  std::vector<std::string> entries;                   // ids of evidence and updates
  std::string why;                                    // in words
  std::vector<std::pair<std::string, double>> others; // what could have been chosen, and what it promised
};

constexpr std::string_view k_choices_file = "choices.jsonl"; // in the workflow's folder

Result<std::optional<MadeChoice>> recalled_choice(const PolicyContext& context, int round, int trajectory, int step);
Result<void> remember_choice(PolicyContext& context, const std::string& run, const MadeChoice& choice);

} // namespace hone::policy
