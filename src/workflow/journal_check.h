// The journal held against the commits, which git names by their content: what it says that cannot be believed, and
// what it should say. (internal to the workflow room)
#pragma once

#include "util/finding.h"
#include "workflow/journal_repair.h"
#include "workflow/repository.h"

#include <string>
#include <vector>

namespace hone {

struct JournalCheck {
  Findings findings;
  bool must_be_replaced = false; // by `sound`
  JournalContents sound;
  std::vector<std::string> unkept; // sound checkpoints that no ref keeps
  std::vector<std::string> broken; // kept by a ref, and no checkpoints
};

// `journal` may be null: lost. `busy`: another Hone is at work, so that what is only half done is nothing to find.
Result<JournalCheck> check_journal(const Journal* journal, const Repository& repository, bool busy);

} // namespace hone
