// A journal made anew from what of an old one can be believed. (internal to the workflow room)
//
// The journal is append-only, so a repair does not touch rows: it writes another journal and puts it in the place of
// the old one, which is kept whole as damaged/journal-N.db beside it. Killed at any moment, either the old one stands
// or finish_repair() brings the new one into its place. Call these under the workflow's lock.
#pragma once

#include "store/journal.h"

#include <map>
#include <string>
#include <vector>

namespace hone::store {

struct JournalContents {
  std::vector<JournalRecord> records; // with their numbers, as all of these
  std::vector<JournalCheckpoint> checkpoints;
  std::vector<JournalValue> values;
  std::map<std::string, double> spent;
};

// Returns where the old journal is kept; "" where there was none. Nobody may have it open.
Result<fs::path> replace_journal(const fs::path& file, const JournalContents& contents);

// Does the rest of a replacement that was interrupted; nothing where none was.
Result<void> finish_repair(const fs::path& file);

// What such a replacement leaves behind when it is killed before it is complete.
std::vector<fs::path> repair_leftovers(const fs::path& file);

} // namespace hone::store
