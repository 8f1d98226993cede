// The path to a checkpoint carried out again, here: of a workflow, of another machine's, or of a bundle.
#pragma once

#include "app/workbench.h"
#include "bundle/repeat_steps.h"
#include "policy/replay.h"

#include <string>
#include <vector>

namespace hone::app {

struct ReplayPathRequest {
  KernelRequest kernel; // or a bundle
  std::string checkpoint = "best";
  std::string from; // a state folder of another machine
  std::string into; // with a bundle: the kernel whose workflow takes the checkpoints
  bool dry_run = false;
};

struct ReplayResult {
  std::string kernel, backend;
  bool unpacked = false;                         // a bundle's own kernel, which nothing is kept of
  bool kept = false;                             // right steps became checkpoints
  std::vector<bundle::RepeatedStep> carried_out; // of a bundle, one per checkpoint
  std::vector<policy::ReplayedStep> steps;
  bool stopped = false;

  bool same() const;    // the steps led to the same files once more
  bool correct() const; // every step is right here
};

// `carried_out` is called with the steps of a bundle before any of them is judged; empty: none.
Result<ReplayResult> replay_path(Context& context, const ReplayPathRequest& request,
                                 const std::function<void(const std::vector<bundle::RepeatedStep>&)>& carried_out);

// The comparison with the step before; none for the start, which is measured against a copy of itself.
const record::ComparisonResult* comparison_with_parent(const record::Record& record);
// Whether a step is right here and compares with its parent as it did then.
bool agrees(const policy::ReplayedStep& step);

Json to_json(const ReplayResult& result);

} // namespace hone::app
