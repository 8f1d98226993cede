// What a workflow holds: its steps, one checkpoint, what changed between two, a checkpoint's files.
#pragma once

#include "app/workbench.h"

#include <map>
#include <string>
#include <vector>

namespace hone::app {

struct WorkflowLog {
  std::string kernel;
  fs::path workflow; // its folder
  std::string best;  // id; "": none
  std::map<std::string, std::string> branches;
  std::vector<store::Step> steps;
  std::size_t left_out = 0; // jobs that became no checkpoint
};

struct CheckpointDiff {
  std::string from, to;
  std::string diff;
};

struct CheckedOut {
  std::string kernel, backend;
  fs::path kernel_folder;
  store::Checkpoint checkpoint; // id "naive": the generated candidate
  fs::path folder;
};

// `all`: also jobs that became no checkpoint.
Result<WorkflowLog> workflow_log(const Context& context, const KernelRequest& kernel, bool all);
Result<store::Checkpoint> show_checkpoint(const Context& context, const KernelRequest& kernel, const std::string& name);
Result<CheckpointDiff> diff_checkpoints(const Context& context, const KernelRequest& kernel, const std::string& from,
                                        const std::string& to);
// Writes a checkpoint's candidate into a folder; empty: KERNEL-ID.
Result<CheckedOut> check_out(const Context& context, const KernelRequest& kernel, const std::string& name,
                             const std::string& folder);

Json to_json(const WorkflowLog& log);
Json to_json(const store::Checkpoint& checkpoint);
Json to_json(const CheckpointDiff& diff);
Json to_json(const CheckedOut& checked_out);

} // namespace hone::app
