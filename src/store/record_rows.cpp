#include "store/record_rows.h"

#include "store/checkpoint_files.h"
#include "util/json.h"

#include <fmt/format.h>

namespace hone::store {

Result<record::Record> parse_record(const JournalRecord& row)
{
  const std::string origin = fmt::format("journal.db: record {}", row.number);
  if (!row.intact) {
    return fail(origin + " is damaged: its text does not match its digest");
  }
  HONE_TRY(const Json json, parse_json(row.json, origin));
  auto record = record::record_from_json(json);
  if (!record) {
    return fail(fmt::format("{} cannot be read: {}", origin, record.error().message));
  }
  return record;
}

bool holds(const JournalRecord& row, const std::string& text)
{
  if (row.json == text) {
    return row.intact;
  }
  const auto record = parse_record(row);
  return record && record_text(*record) == text;
}

Result<std::int64_t> journal_record(Journal& journal, const record::Record& record)
{
  const std::string text = record_text(record);
  HONE_TRY(const auto rows, journal.records_of(record.id));
  for (const JournalRecord& row : rows) {
    if (holds(row, text)) {
      return row.number;
    }
  }
  return journal.append(record.id, text);
}

} // namespace hone::store
