// What a round taught: expected against measured, why they differ, and what is expected from now on. (internal to the
// policy blaster)
#pragma once

#include "knowledge/knowledge.h"

#include <span>
#include <string>
#include <vector>

namespace hone::policy {

// One try of the round, as it stands in the base.
struct Sample {
  knowledge::Evidence evidence;
  bool transferred = false; // what was expected rested on no evidence of its own state
};

// All tries of one technique in one state.
struct Finding {
  std::string state, technique;
  int tries = 0, failed = 0, within = 0, transferred = 0;
  double expected = 0, measured = 0; // means, logarithms; of those that did not fail
  double returned = 0;               // the most that was gained from there on
  std::string cause;                 // why it differs from what was expected
  std::vector<std::string> evidence; // ids

  int counted() const { return tries - failed; }
  double gap() const { return measured - expected; }
};

// Policy evaluation and gap analysis.
std::vector<Finding> evaluate(std::span<const Sample> samples);
// "cache-tiling: expected 1.20x, measured 0.95x in 2 tries (0 failed): pays later: 2.10x from there on".
std::string to_text(const Finding& finding);

// Parameter update by statistics: corrections of what is expected elsewhere, confidence, deprecations, composites. What
// is returned stands in the base.
Result<std::vector<knowledge::Change>> update_by_statistics(knowledge::Base& base, std::span<const Finding> findings,
                                                            std::span<const Sample> samples, const std::string& run,
                                                            int round);

} // namespace hone::policy
