// Names for checkpoints, to come back to and to go on from.
#pragma once

#include "app/workbench.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct NamedCheckpoint {
  std::string branch;
  std::string id;
  std::optional<store::Checkpoint> checkpoint; // nothing: it is damaged
};

struct BranchList {
  std::string kernel;
  fs::path kernel_folder;
  std::vector<NamedCheckpoint> branches;
};

// One branch that was made, moved or deleted.
struct BranchChange {
  std::string kernel;
  fs::path kernel_folder;
  std::string branch;
  std::string checkpoint;     // id of what it names, or named
  std::string transformation; // of a branch that was made
  bool deleted = false;
};

Result<BranchList> list_branches(const Context& context, const KernelRequest& kernel);
// `force`: moves a branch that exists already.
Result<BranchChange> make_branch(const Context& context, const KernelRequest& kernel, const std::string& branch,
                                 const std::string& from, bool force);
Result<BranchChange> delete_branch(const Context& context, const KernelRequest& kernel, const std::string& branch);

Json to_json(const BranchList& list);
Json to_json(const BranchChange& change);

} // namespace hone::app
