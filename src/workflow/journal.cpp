#include "workflow/journal.h"

#include "util/hash.h"
#include "workflow/storage_error.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

namespace hone {

struct Journal::Opened {
  fs::path file;
  SQLite::Database database;
};

namespace {

constexpr int k_schema_version = 1;

// Times are for people who look with sqlite3; order is by number. The triggers make "append-only" more than a habit.
constexpr const char* k_schema = R"sql(
CREATE TABLE records (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  json TEXT NOT NULL,
  digest TEXT NOT NULL,
  written TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX records_by_id ON records (id);
CREATE TABLE checkpoints (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  parent TEXT NOT NULL,
  transformation TEXT NOT NULL,
  record INTEGER NOT NULL REFERENCES records (number),
  written TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE TABLE state (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  written TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX state_by_name ON state (name, number);
CREATE TABLE ledger (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  phase TEXT NOT NULL,
  seconds REAL NOT NULL,
  written TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
)sql";

void create_schema(SQLite::Database& database)
{
  SQLite::Transaction transaction(database);
  database.exec(k_schema);
  for (const char* table : {"records", "checkpoints", "state", "ledger"}) {
    for (const char* change : {"UPDATE", "DELETE"}) {
      database.exec(fmt::format("CREATE TRIGGER {0}_keeps_{1} BEFORE {1} ON {0} "
                                "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
                                table, change));
    }
  }
  database.exec(fmt::format("PRAGMA user_version = {}", k_schema_version));
  transaction.commit();
}

// SQLiteCpp throws; here its exceptions end.
template <class Work> auto guarded(std::string_view what, const fs::path& file, Work work)
    -> Result<decltype(work())>
{
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const SQLite::Exception& exception) {
    return storage_failure(what, file, exception.what());
  }
}

JournalRecord read_record(SQLite::Statement& row)
{
  JournalRecord record{row.getColumn(0).getInt64(), row.getColumn(1).getString(), row.getColumn(2).getString(), true};
  record.intact = sha256(record.json) == row.getColumn(3).getString();
  return record;
}

std::vector<JournalRecord> read_records(SQLite::Statement& query)
{
  std::vector<JournalRecord> records;
  while (query.executeStep()) {
    records.push_back(read_record(query));
  }
  return records;
}

} // namespace

Journal::Journal(std::unique_ptr<Opened> opened) : m_opened(std::move(opened)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal::~Journal() = default;

const fs::path& Journal::file() const
{
  return m_opened->file;
}

Result<Journal> Journal::open(const fs::path& file)
{
  try {
    // Half a second of patience for people who look with sqlite3 meanwhile.
    auto opened = std::make_unique<Opened>(
        Opened{file, SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 500)});
    SQLite::Database& database = opened->database;
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    if (version > k_schema_version) {
      return fail(fmt::format("{} was written by a newer Hone (schema {}, known is {})", file.string(), version,
                              k_schema_version),
                  "use that version, or start afresh with --state DIR", Place{file.string(), 0, 0});
    }
    if (version == 0) {
      create_schema(database);
    }
    return Journal(std::move(opened));
  } catch (const SQLite::Exception& exception) {
    return storage_failure("open", file, exception.what());
  }
}

Result<std::int64_t> Journal::append(const std::string& id, const std::string& json)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(m_opened->database, "INSERT INTO records (id, json, digest) VALUES (?, ?, ?)");
    insert.bind(1, id);
    insert.bind(2, json);
    insert.bind(3, sha256(json));
    insert.exec();
    return static_cast<std::int64_t>(m_opened->database.getLastInsertRowid());
  });
}

Result<void> Journal::append(const JournalCheckpoint& checkpoint)
{
  return guarded("write to", file(), [&] {
    SQLite::Statement insert(m_opened->database, "INSERT INTO checkpoints (id, parent, transformation, record) "
                                                 "VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING");
    insert.bind(1, checkpoint.id);
    insert.bind(2, checkpoint.parent);
    insert.bind(3, checkpoint.transformation);
    insert.bind(4, checkpoint.record);
    insert.exec();
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
    SQLite::Statement query(m_opened->database, "SELECT number, id, json, digest FROM records ORDER BY number");
    return read_records(query);
  });
}

Result<std::vector<JournalRecord>> Journal::records_of(const std::string& id) const
{
  return guarded("read", file(), [&] {
    SQLite::Statement query(m_opened->database,
                            "SELECT number, id, json, digest FROM records WHERE id = ? ORDER BY number DESC");
    query.bind(1, id);
    return read_records(query);
  });
}

Result<std::vector<JournalCheckpoint>> Journal::checkpoints() const
{
  return guarded("read", file(), [&] {
    SQLite::Statement query(m_opened->database,
                            "SELECT id, parent, transformation, record FROM checkpoints ORDER BY number");
    std::vector<JournalCheckpoint> checkpoints;
    while (query.executeStep()) {
      checkpoints.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                             query.getColumn(2).getString(), query.getColumn(3).getInt64()});
    }
    return checkpoints;
  });
}

Result<std::string> Journal::recall(const std::string& name) const
{
  return guarded("read", file(), [&] {
    SQLite::Statement query(m_opened->database, "SELECT value FROM state WHERE name = ? ORDER BY number DESC LIMIT 1");
    query.bind(1, name);
    return query.executeStep() ? query.getColumn(0).getString() : std::string();
  });
}

Result<std::map<std::string, double>> Journal::spent() const
{
  return guarded("read", file(), [&] {
    SQLite::Statement query(m_opened->database, "SELECT phase, SUM(seconds) FROM ledger GROUP BY phase");
    std::map<std::string, double> spent;
    while (query.executeStep()) {
      spent[query.getColumn(0).getString()] = query.getColumn(1).getDouble();
    }
    return spent;
  });
}

Result<std::vector<std::string>> Journal::damage() const
{
  return guarded("check", file(), [&] {
    SQLite::Statement query(m_opened->database, "PRAGMA quick_check");
    std::vector<std::string> findings;
    while (query.executeStep()) {
      if (std::string finding = query.getColumn(0).getString(); finding != "ok") {
        findings.push_back(std::move(finding));
      }
    }
    return findings;
  });
}

} // namespace hone
