// Names that people give to checkpoints. (internal to the workflow room)
//
// The journal is authoritative: one stored value holds all branches, so that a change is atomic. refs/heads/NAME
// follows it, for people who use git.
#pragma once

#include "store/journal.h"
#include "store/repository.h"

#include <map>
#include <string>

namespace hone::store {

// Names of remembered values; a policy's own have no dot in front.
constexpr const char* k_best_value = "checkpoint.best";
constexpr const char* k_branches_value = "checkpoint.branches";

using BranchMap = std::map<std::string, std::string>; // name -> checkpoint id

Result<BranchMap> branches_in(const Journal& journal);
Result<BranchMap> parse_branches(const std::string& text); // of a remembered value
// An empty id removes the branch.
Result<void> write_branch(Journal& journal, Repository& repository, const std::string& name, const std::string& id);
// Sets the repository's refs to what the journal says; after a full disk they may be out of date.
void repair_branches(const Journal& journal, Repository& repository);

// Fails for names that git does not allow, reserved names (best, start, ...) and names that look like an id.
Result<void> check_branch_name(const std::string& name);

} // namespace hone::store
