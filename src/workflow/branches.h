// Names that people give to checkpoints. (internal to the workflow room)
//
// The journal's word counts: one remembered value holds all branches, so that a change is there or not. refs/heads/NAME
// follows it, for people who look with git.
#pragma once

#include "workflow/journal.h"
#include "workflow/repository.h"

#include <map>
#include <string>

namespace hone {

// Names of remembered values; a policy's own have no dot in front.
constexpr const char* k_best_value = "checkpoint.best";
constexpr const char* k_branches_value = "checkpoint.branches";

using BranchMap = std::map<std::string, std::string>; // name -> checkpoint id

Result<BranchMap> branches_in(const Journal& journal);
Result<BranchMap> parse_branches(const std::string& text); // of a remembered value
// An empty id removes the branch.
Result<void> write_branch(Journal& journal, Repository& repository, const std::string& name, const std::string& id);
// Brings the repository's refs up to what the journal says; on a full disk they may lag behind.
void mend_branches(const Journal& journal, Repository& repository);

// Fails for what git would not take, what stands for something else (best, start, ...) and what reads like an id.
Result<void> check_branch_name(const std::string& name);

} // namespace hone
