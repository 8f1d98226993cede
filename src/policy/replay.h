// Replays the path to a checkpoint: the gate on this machine judges each recorded candidate again.
#pragma once

#include "execute/executor.h"
#include "store/store.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::policy {

constexpr std::string_view k_recorded_engine = "recorded"; // the engine's name in records of a replay

struct ReplayRequest {
  std::vector<store::Checkpoint> path;  // from a start to the checkpoint, each the parent of the next
  kernel::Sizes sizes;                  // instead of the recorded ones; empty: those
  std::optional<record::Regime> regime; // likewise
  std::stop_token stop;
  std::function<void(const store::Checkpoint&)> before = {}; // called before each step; may be empty
};

struct ReplayedStep {
  store::Checkpoint recorded;
  record::Record here;
  std::string checkpoint; // what it became here; "" when it is not right or nothing is kept
};

// Ends early when asked to stop, and after a step that is not right here: what follows builds on it. With a workflow,
// every record goes to its journal and every right step becomes a checkpoint, whose root is the replayed start; where
// the workflow has no best yet, the fastest of them is it. Without one nothing is written.
Result<std::vector<ReplayedStep>> replay(const kernel::Kernel& kernel, execute::Executor& executor,
                                         store::Workflow* workflow, const ReplayRequest& request);

} // namespace hone::policy
