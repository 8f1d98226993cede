// Records in the journal's rows. (internal to the workflow room)
#pragma once

#include "record/record.h"
#include "store/journal.h"

namespace hone::store {

// Fails for a row that is damaged or no record, naming it.
Result<record::Record> parse_record(const JournalRecord& row);

// Whether the row holds the record that is written like this now: how records are written may change from one Hone to
// the next.
bool holds(const JournalRecord& row, const std::string& text);

// The number of the newest row that holds exactly this record; of a new one where there is none.
Result<std::int64_t> journal_record(Journal& journal, const record::Record& record);

} // namespace hone::store
