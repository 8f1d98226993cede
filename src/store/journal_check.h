// Verifies the journal against the commits, which git names by their content: finds entries that contradict them, and
// computes the journal's correct contents. (internal to the workflow room)
#pragma once

#include "store/journal_repair.h"
#include "store/repository.h"
#include "util/finding.h"

#include <string>
#include <vector>

namespace hone::store {

struct JournalCheck {
  Findings findings;
  bool must_be_replaced = false; // by `sound`
  JournalContents sound;
  std::vector<std::string> unkept; // sound checkpoints that no ref keeps
  std::vector<std::string> broken; // kept by a ref, but not checkpoints
};

// `journal`: null if it is lost. `busy`: another Hone is at work, so that unfinished work is not damage.
Result<JournalCheck> check_journal(const Journal* journal, const Repository& repository, bool busy);

} // namespace hone::store
