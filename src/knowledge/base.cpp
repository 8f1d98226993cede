#include "knowledge/base.h"

#include "knowledge/database.h"
#include "util/disk.h"
#include "util/random.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::knowledge {
namespace {

constexpr int k_patience_ms = 30'000;   // while other processes write
constexpr double k_inherits_from = 0.2; // similarity

Result<SQLite::Database> open_file(const fs::path& file, int flags)
{
  return guarded("open", file, [&] { return SQLite::Database(file.string(), flags, k_patience_ms); });
}

void create_schema(SQLite::Database& database)
{
  SQLite::Transaction transaction(database);
  database.exec(k_schema);
  SQLite::Statement site(database, "INSERT INTO base VALUES ('site', ?)");
  site.bind(1, fmt::format("{:016x}", fresh_seed()));
  site.exec();
  database.exec(fmt::format("PRAGMA user_version = {}", k_schema_version));
  transaction.commit();
}

// Made under another name and put in its place in one go: nobody meets half a base, nor one that is not in WAL mode
// yet.
Result<void> create(const fs::path& file)
{
  std::error_code error;
  if (!file.parent_path().empty()) {
    fs::create_directories(file.parent_path(), error);
  }
  if (error) {
    return base_failure("create", file.parent_path(), error.message());
  }
  const fs::path draft = file.string() + fmt::format(".{:016x}.new", fresh_seed());
  {
    HONE_TRY(SQLite::Database database, open_file(draft, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE));
    HONE_CHECK(guarded("create", draft, [&] {
      database.exec("PRAGMA journal_mode = WAL");
      create_schema(database);
    }));
  } // closed: all of it is in the one file
  fs::create_hard_link(draft, file, error);
  std::error_code ignored;
  fs::remove(draft, ignored);
  if (error && error != std::errc::file_exists) {
    return base_failure("create", file, error.message());
  }
  return {};
}

std::string mentioned(std::string_view cause)
{
  std::string text(cause);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

Result<std::unique_ptr<Base::Opened>> ready(const fs::path& file, SQLite::Database database)
{
  auto opened = std::make_unique<Base::Opened>(Base::Opened{file, std::move(database), {}, false, {}});
  HONE_TRY(const int version, guarded("open", file, [&] {
             opened->database.exec("PRAGMA synchronous = FULL");
             opened->database.exec("PRAGMA mmap_size = 268435456"); // questions read many pages
             const int found = opened->database.execAndGet("PRAGMA user_version").getInt();
             if (found == k_schema_version) {
               opened->site = opened->database.execAndGet("SELECT value FROM base WHERE name = 'site'").getString();
             }
             return found;
           }));
  if (version > k_schema_version) {
    return fail(
      fmt::format("{} was written by a newer Hone (schema {}, known is {})", file.string(), version, k_schema_version),
      "use that version, or another base with --knowledge FILE");
  }
  if (version != k_schema_version) {
    return fail(fmt::format("{} is no base of knowledge", file.string()), "name another file with --knowledge FILE");
  }
  return opened;
}

double decayed(double weight, std::int64_t from, std::int64_t to)
{
  return weight * std::exp2(-static_cast<double>(to - from) / (k_half_life_days * 86'400));
}

} // namespace

std::unexpected<Error> base_failure(std::string_view what, const fs::path& file, std::string_view cause)
{
  const std::string words = mentioned(cause);
  std::string hint = "name another base with --knowledge FILE";
  if (words.contains("malformed") || words.contains("not a database")) {
    hint =
      "the file is damaged or no base: `hone knowledge export` may still read what is sound; then start afresh with "
      "--knowledge FILE";
  } else if (words.contains("full") || words.contains("no space")) {
    hint = make_room_hint(file) + ", or " + hint;
  } else if (words.contains("locked")) {
    hint = "another process has been writing for half a minute: try again when it is done";
  } else if (words.contains("readonly") || words.contains("unable to open") || words.contains("permission")) {
    hint = "name a file in a folder that you can write to: --knowledge FILE";
  }
  return fail(
    fmt::format("cannot {} the knowledge base {}: {}", what, file.empty() ? "in memory" : file.string(), cause), hint);
}

fs::path default_file()
{
  return data_folder() / "knowledge.db";
}

bool Filter::is_empty() const
{
  for (const std::string* one : {&state, &technique, &kernel, &kernel_class, &backend, &types, &shape, &bottleneck,
                                 &device, &site, &run, &failure, &before}) {
    if (!one->empty()) {
      return false;
    }
  }
  return true;
}

double Aggregate::weight_at(std::int64_t now) const
{
  return decayed(weight, as_of, std::max(now, as_of));
}

double Aggregate::failed_at(std::int64_t now) const
{
  return decayed(failed, as_of, std::max(now, as_of));
}

double Aggregate::mean() const
{
  return weight > 0 ? sum / weight : 0;
}

double Aggregate::deviation() const
{
  return weight > 0 ? std::sqrt(std::max(0.0, squares / weight - mean() * mean())) : 0;
}

Base::Base(std::unique_ptr<Opened> opened) : m_opened(std::move(opened)) {}
Base::Base(Base&&) noexcept = default;
Base& Base::operator=(Base&&) noexcept = default;
Base::~Base() = default;

const fs::path& Base::file() const
{
  return m_opened->file;
}

const std::string& Base::site() const
{
  return m_opened->site;
}

Result<Base> Base::open(const fs::path& file)
{
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    HONE_CHECK(create(file));
  }
  HONE_TRY(SQLite::Database database, open_file(file, SQLite::OPEN_READWRITE));
  HONE_TRY(std::unique_ptr<Opened> opened, ready(file, std::move(database)));
  return Base(std::move(opened));
}

Result<std::optional<Base>> Base::open_existing(const fs::path& file)
{
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return std::optional<Base>();
  }
  HONE_TRY(Base base, open(file));
  return std::optional<Base>(std::move(base));
}

Result<Base> Base::in_memory()
{
  HONE_TRY(SQLite::Database database, open_file(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE));
  HONE_CHECK(guarded("create", {}, [&] { create_schema(database); }));
  HONE_TRY(std::unique_ptr<Opened> opened, ready({}, std::move(database)));
  return Base(std::move(opened));
}

Result<void> Base::together(const std::function<Result<void>()>& work)
{
  if (m_opened->in_transaction) {
    return work();
  }
  Result<void> outcome;
  m_opened->in_transaction = true;
  const Result<void> written = guarded("write to", m_opened->file, [&] {
    // At once with the right to write: a transaction that only asks for it later may be refused in the middle.
    SQLite::Transaction transaction(m_opened->database, SQLite::TransactionBehavior::IMMEDIATE);
    outcome = work();
    if (outcome) {
      transaction.commit();
    }
  });
  m_opened->in_transaction = false;
  return written ? outcome : written;
}

Result<bool> Base::add(Entry entry)
{
  const auto fill_in = [&](auto& one) {
    one.site = one.site.empty() ? site() : one.site;
    one.time_utc = one.time_utc.empty() ? utc_now() : one.time_utc;
  };
  std::visit(fill_in, entry);
  if (auto* state = std::get_if<State>(&entry)) {
    state->id = state_id(state->signature);
  } else if (auto* evidence = std::get_if<Evidence>(&entry)) {
    evidence->id = evidence_id(*evidence);
  } else if (auto* change = std::get_if<Change>(&entry)) {
    change->id = change_id(*change);
  }
  bool added = false;
  const Result<void> done = together([&]() -> Result<void> {
    HONE_TRY(added, guarded("write to", file(), [&] {
               // A state that is met again, or a technique that is tried again, is no longer forgotten.
               const bool met_again = std::holds_alternative<State>(entry) || std::holds_alternative<Technique>(entry);
               if (met_again) {
                 change(*m_opened, "DELETE FROM forgotten WHERE id = ?", id_of(entry));
               }
               return (met_again || !is_forgotten(*m_opened, entry)) && insert_entry(*m_opened, entry);
             }));
    return {};
  });
  HONE_CHECK(done);
  return added;
}

Result<void> Base::credit(const std::string& evidence, double returned)
{
  return together([&]() -> Result<void> {
    return guarded("write to", file(), [&] {
      const int changed =
        change(*m_opened, "UPDATE evidence SET returned = ?2 WHERE id = ?1 AND (returned IS NULL OR returned < ?2)",
               evidence, returned);
      if (changed == 0) {
        return;
      }
      std::string state, technique;
      for_rows(
        *m_opened, "SELECT state, technique FROM evidence WHERE id = ?",
        [&](SQLite::Statement& row) {
          state = row.getColumn(0).getString();
          technique = row.getColumn(1).getString();
        },
        evidence);
      change(*m_opened,
             "UPDATE aggregates SET (returns, return_sum) = (SELECT count(returned), total(returned) FROM evidence "
             "WHERE evidence.state = ?1 AND evidence.technique = ?2) WHERE state = ?1 AND technique = ?2",
             state, technique);
    });
  });
}

Result<Base::Match> Base::match(const Signature& signature)
{
  HONE_TRY(const auto known, guarded("read", file(), [&] { return signatures_like(*m_opened, signature); }));
  std::string nearest, same;
  double best = k_inherits_from, best_same = 0;
  for (const auto& [id, other] : known) {
    const double alike = similarity(signature, other);
    if (is_same_state(signature, other) && alike > best_same) {
      same = id;
      best_same = alike;
    }
    if (alike > best) {
      nearest = id;
      best = alike;
    }
  }
  if (!same.empty()) {
    HONE_TRY(const std::optional<Entry> found, find(same));
    if (found && std::holds_alternative<State>(*found)) {
      return Match{std::get<State>(*found), false};
    }
  }
  State made{state_id(signature), signature, nearest, site(), utc_now()};
  HONE_CHECK(add(made));
  return Match{std::move(made), true};
}

Result<Counts> Base::counts() const
{
  return guarded("read", file(), [&] {
    const auto count = [&](const char* sql) { return m_opened->database.execAndGet(sql).getInt64(); };
    Counts counts;
    counts.states = count("SELECT count(*) FROM states");
    counts.techniques = count("SELECT count(*) FROM techniques");
    counts.evidence = count("SELECT total(tries) FROM aggregates");
    counts.failures = count("SELECT total(failures) FROM aggregates");
    counts.changes = count("SELECT count(*) FROM changes");
    return counts;
  });
}

} // namespace hone::knowledge
