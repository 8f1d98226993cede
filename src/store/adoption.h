// Commits that the journal does not know: taken up as checkpoints. (internal to the workflow room)
//
// Hone was killed between the commit and the journal's row of it, or the journal is a new one in the place of one that
// was lost. Commits are taken up in the order in which they were made; their numbers say which that is, not their
// times: clocks jump.
#pragma once

#include "store/journal.h"
#include "store/repository.h"

namespace hone::store {

// Parents before children, since a path is found by following parents. A commit whose parent is lost begins a path of
// its own. What cannot be read as a checkpoint stays where it is; a check names it.
Result<void> adopt_commits(Journal& journal, const Repository& repository);

} // namespace hone::store
