#include "store/journal.h"

#include "store/journal_database.h"

#include <fmt/format.h>

#include <unistd.h>

namespace hone::store {

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

Result<SQLite::Database> open_database(const fs::path& file, int flags)
{
  try {
    // Half a second of patience for people who look with sqlite3 meanwhile.
    return SQLite::Database(file.string(), flags, 500);
  } catch (const SQLite::Exception& exception) {
    return storage_failure("open", file, exception.what());
  }
}

Result<int> version_of(SQLite::Database& database, const fs::path& file)
{
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  if (version > k_schema_version) {
    return fail(
      fmt::format("{} was written by a newer Hone (schema {}, known is {})", file.string(), version, k_schema_version),
      "use that version, or start afresh with --state DIR");
  }
  return version;
}

// The journal and what is not yet in its main file, in a folder of our own.
Result<TemporaryFolder> copy_of(const fs::path& file)
{
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-journal"));
  for (const char* part : {"", "-wal"}) {
    const fs::path from = file.string() + part;
    std::error_code ignored;
    if (*part != '\0' && !fs::exists(from, ignored)) {
      continue;
    }
    HONE_TRY(const std::string bytes, read_file(from));
    HONE_CHECK(write_file(folder.path() / from.filename(), bytes));
  }
  return folder;
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
  HONE_TRY(SQLite::Database database, open_database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE));
  auto opened = std::make_unique<Opened>(Opened{file, std::nullopt, std::move(database)});
  try {
    opened->database.exec("PRAGMA journal_mode = WAL");
    opened->database.exec("PRAGMA synchronous = FULL");
    opened->database.exec("PRAGMA foreign_keys = ON");
    HONE_TRY(const int version, version_of(opened->database, file));
    if (version == 0) {
      create_schema(opened->database);
    }
    return Journal(std::move(opened));
  } catch (const SQLite::Exception& exception) {
    return storage_failure("open", file, exception.what());
  }
}

Result<std::optional<Journal>> Journal::open_to_read(const fs::path& file)
{
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return std::nullopt;
  }
  std::optional<TemporaryFolder> copy;
  fs::path place = file;
  if (::access(file.parent_path().c_str(), W_OK) != 0 || ::access(file.c_str(), W_OK) != 0) {
    HONE_TRY(copy, copy_of(file));
    place = copy->path() / file.filename();
  }
  HONE_TRY(SQLite::Database database, open_database(place, SQLite::OPEN_READWRITE));
  auto opened = std::make_unique<Opened>(Opened{file, std::move(copy), std::move(database)});
  try {
    HONE_TRY(const int version, version_of(opened->database, file));
    return version == 0 ? std::optional<Journal>() : Journal(std::move(opened));
  } catch (const SQLite::Exception& exception) {
    if (is_damage(exception)) {
      return std::nullopt;
    }
    return storage_failure("open", file, exception.what());
  }
}

bool Journal::is_unfinished(const fs::path& file)
{
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 500);
    return database.execAndGet("PRAGMA user_version").getInt() == 0
           && database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

Result<Journal> Journal::in_memory(const fs::path& file)
{
  HONE_TRY(SQLite::Database database, open_database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE));
  auto opened = std::make_unique<Opened>(Opened{file, std::nullopt, std::move(database)});
  HONE_CHECK(guarded("open", file, [&] { create_schema(opened->database); }));
  return Journal(std::move(opened));
}

} // namespace hone::store
