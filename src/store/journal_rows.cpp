// What the journal takes in and gives back, row by row.
#include "store/journal_database.h"
#include "store/journal_repair.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::store {

namespace {

constexpr std::int64_t k_most_rows = 10'000'000; // a damaged counter must not keep us busy for ever
constexpr const char* k_record_columns = "number, id, json, digest";
constexpr const char* k_checkpoint_columns = "id, parent, transformation, record, number";

JournalRecord read_record(SQLite::Statement& row)
{
  JournalRecord record{row.getColumn(0).getInt64(), row.getColumn(1).getString(), row.getColumn(2).getString(), true};
  record.intact = sha256(record.json) == row.getColumn(3).getString();
  return record;
}

JournalCheckpoint read_checkpoint(SQLite::Statement& row)
{
  return {row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(),
          row.getColumn(3).getInt64(), row.getColumn(4).getInt64()};
}

std::vector<JournalRecord> read_records(SQLite::Statement& query)
{
  std::vector<JournalRecord> records;
  while (query.executeStep()) {
    records.push_back(read_record(query));
  }
  return records;
}

// The largest number that a table ever gave out; from what of it can be read.
std::int64_t last_number(SQLite::Database& database, const std::string& table)
{
  std::int64_t last = 0;
  for (const std::string& source : {fmt::format("SELECT seq FROM sqlite_sequence WHERE name = '{}'", table),
                                    fmt::format("SELECT max(number) FROM {}", table)}) {
    try {
      SQLite::Statement query(database, source);
      if (query.executeStep() && !query.isColumnNull(0)) {
        last = std::max<std::int64_t>(last, query.getColumn(0).getInt64());
      }
    } catch (const SQLite::Exception&) { // damaged there: the other one may know
    }
  }
  return std::min<std::int64_t>(last, k_most_rows);
}

// Row by row, by number: a damaged page costs the rows on it, not those behind it. `read` gets one row, `lost` the
// number of one that is there and cannot be read.
template <class Read, class Lost>
void for_each_readable(SQLite::Database& database, const std::string& table, const std::string& columns, Read read,
                       Lost lost)
{
  const std::int64_t last = last_number(database, table);
  for (std::int64_t number = 1; number <= last; ++number) {
    try {
      SQLite::Statement query(database, fmt::format("SELECT {} FROM {} WHERE number = ?", columns, table));
      query.bind(1, number);
      if (query.executeStep()) {
        read(query);
      }
    } catch (const SQLite::Exception&) {
      lost(number);
    }
  }
}

std::vector<JournalValue> readable_values(SQLite::Database& database)
{
  std::vector<JournalValue> values;
  for_each_readable(
    database, "state", "name, value",
    [&](SQLite::Statement& row) {
      values.push_back({row.getColumn(0).getString(), row.getColumn(1).getString()});
    },
    [](std::int64_t) {});
  return values;
}

// Goes on where only a part of the file is damaged; anything else is thrown again.
void require_damage(const SQLite::Exception& exception)
{
  if (!is_damage(exception)) {
    throw exception;
  }
}

} // namespace

Result<std::int64_t> Journal::append(const std::string& id, const std::string& json, std::int64_t number)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(
      m_opened->database,
      "INSERT INTO records (number, id, json, digest) VALUES "
      "((SELECT ?1 WHERE ?1 > 0 AND NOT EXISTS (SELECT 1 FROM records WHERE number = ?1)), ?2, ?3, ?4)");
    insert.bind(1, number);
    insert.bind(2, id);
    insert.bind(3, json);
    insert.bind(4, sha256(json));
    insert.exec();
    return static_cast<std::int64_t>(m_opened->database.getLastInsertRowid());
  });
}

Result<void> Journal::append(const JournalCheckpoint& checkpoint)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(
      m_opened->database,
      "INSERT INTO checkpoints (number, id, parent, transformation, record) VALUES "
      "((SELECT ?1 WHERE ?1 > 0 AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE number = ?1)), ?2, ?3, ?4, ?5) "
      "ON CONFLICT (id) DO NOTHING");
    insert.bind(1, checkpoint.number);
    insert.bind(2, checkpoint.id);
    insert.bind(3, checkpoint.parent);
    insert.bind(4, checkpoint.transformation);
    insert.bind(5, checkpoint.record);
    insert.exec();
  });
}

Result<void> Journal::fill(const JournalContents& contents)
{
  return guarded("write to", file(), [&]() -> Result<void> {
    SQLite::Transaction transaction(m_opened->database);
    for (const JournalRecord& record : contents.records) {
      HONE_TRY([[maybe_unused]] const std::int64_t number, append(record.id, record.json, record.number));
    }
    for (const JournalCheckpoint& checkpoint : contents.checkpoints) {
      HONE_CHECK(append(checkpoint));
    }
    for (const JournalValue& value : contents.values) {
      HONE_CHECK(remember(value.name, value.value));
    }
    for (const auto& [phase, seconds] : contents.spent) {
      HONE_CHECK(spend(phase, seconds));
    }
    transaction.commit();
    return {};
  });
}

Result<void> Journal::remember(const std::string& name, const std::string& value)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(m_opened->database, "INSERT INTO state (name, value) VALUES (?, ?)");
    insert.bind(1, name);
    insert.bind(2, value);
    insert.exec();
  });
}

Result<void> Journal::spend(const std::string& phase, double seconds)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(m_opened->database, "INSERT INTO ledger (phase, seconds) VALUES (?, ?)");
    insert.bind(1, phase);
    insert.bind(2, seconds);
    insert.exec();
  });
}

Result<std::vector<JournalRecord>> Journal::records() const
{
  return guarded("read", file(), [&] {
    try {
      SQLite::Statement query(m_opened->database,
                              fmt::format("SELECT {} FROM records ORDER BY number", k_record_columns));
      return read_records(query);
    } catch (const SQLite::Exception& exception) {
      require_damage(exception);
    }
    std::vector<JournalRecord> records;
    for_each_readable(
      m_opened->database, "records", k_record_columns,
      [&](SQLite::Statement& row) { records.push_back(read_record(row)); },
      [&](std::int64_t number) {
        records.push_back({number, "", "", false});
      });
    return records;
  });
}

Result<std::vector<JournalRecord>> Journal::records_of(const std::string& id) const
{
  return guarded("read", file(), [&] {
    try {
      SQLite::Statement query(
        m_opened->database, fmt::format("SELECT {} FROM records WHERE id = ? ORDER BY number DESC", k_record_columns));
      query.bind(1, id);
      return read_records(query);
    } catch (const SQLite::Exception& exception) {
      require_damage(exception);
    }
    std::vector<JournalRecord> found;
    for_each_readable(
      m_opened->database, "records", k_record_columns,
      [&](SQLite::Statement& row) {
        if (row.getColumn(1).getString() == id) {
          found.insert(found.begin(), read_record(row));
        }
      },
      [](std::int64_t) {});
    return found;
  });
}

Result<std::vector<JournalCheckpoint>> Journal::checkpoints() const
{
  return guarded("read", file(), [&] {
    std::vector<JournalCheckpoint> checkpoints;
    try {
      SQLite::Statement query(m_opened->database,
                              fmt::format("SELECT {} FROM checkpoints ORDER BY number", k_checkpoint_columns));
      while (query.executeStep()) {
        checkpoints.push_back(read_checkpoint(query));
      }
      return checkpoints;
    } catch (const SQLite::Exception& exception) {
      require_damage(exception);
    }
    checkpoints.clear();
    for_each_readable(
      m_opened->database, "checkpoints", k_checkpoint_columns,
      [&](SQLite::Statement& row) { checkpoints.push_back(read_checkpoint(row)); }, [](std::int64_t) {});
    return checkpoints;
  });
}

Result<std::int64_t> Journal::next_checkpoint_number() const
{
  return guarded("read", file(), [&] { return last_number(m_opened->database, "checkpoints") + 1; });
}

Result<std::vector<JournalValue>> Journal::values() const
{
  return guarded("read", file(), [&] { return readable_values(m_opened->database); });
}

Result<std::string> Journal::recall(const std::string& name) const
{
  return guarded("read", file(), [&] {
    try {
      SQLite::Statement query(m_opened->database,
                              "SELECT value FROM state WHERE name = ? ORDER BY number DESC LIMIT 1");
      query.bind(1, name);
      return query.executeStep() ? query.getColumn(0).getString() : std::string();
    } catch (const SQLite::Exception& exception) {
      require_damage(exception);
    }
    std::string newest;
    for (const JournalValue& value : readable_values(m_opened->database)) {
      newest = value.name == name ? value.value : newest;
    }
    return newest;
  });
}

Result<std::map<std::string, double>> Journal::spent() const
{
  return guarded("read", file(), [&] {
    std::map<std::string, double> spent;
    try {
      SQLite::Statement query(m_opened->database, "SELECT phase, SUM(seconds) FROM ledger GROUP BY phase");
      while (query.executeStep()) {
        spent[query.getColumn(0).getString()] = query.getColumn(1).getDouble();
      }
      return spent;
    } catch (const SQLite::Exception& exception) {
      require_damage(exception);
    }
    spent.clear();
    for_each_readable(
      m_opened->database, "ledger", "phase, seconds",
      [&](SQLite::Statement& row) { spent[row.getColumn(0).getString()] += row.getColumn(1).getDouble(); },
      [](std::int64_t) {});
    return spent;
  });
}

Result<std::vector<std::string>> Journal::damage() const
{
  return guarded("check", file(), [&] {
    SQLite::Statement query(m_opened->database, "PRAGMA integrity_check");
    std::vector<std::string> findings;
    while (query.executeStep()) {
      if (std::string finding = query.getColumn(0).getString(); finding != "ok") {
        findings.push_back(std::move(finding));
      }
    }
    return findings;
  });
}

} // namespace hone::store
