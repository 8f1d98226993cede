// What the files of this room share: the database of a base, its statements, and where exceptions end. (internal)
#pragma once

#include "knowledge/base.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hone::knowledge {

struct Base::Opened {
  fs::path file;
  SQLite::Database database;
  std::string site;
  bool in_transaction = false;
  std::map<const char*, std::unique_ptr<SQLite::Statement>> statements; // by their literals

  // Compiled once, and ready to be bound.
  SQLite::Statement& statement(const char* sql)
  {
    std::unique_ptr<SQLite::Statement>& kept = statements[sql];
    if (!kept) {
      kept = std::make_unique<SQLite::Statement>(database, sql);
    }
    kept->reset();
    kept->clearBindings();
    return *kept;
  }
};

// "cannot WHAT FILE: CAUSE", with the way out.
std::unexpected<Error> base_failure(std::string_view what, const fs::path& file, std::string_view cause);

// SQLiteCpp throws; here its exceptions end. A statement that has begun ends with its transaction.
template <class Work>
auto guarded(std::string_view what, const fs::path& file, Work work)
  -> std::conditional_t<std::is_void_v<decltype(work())>, Result<void>, Result<decltype(work())>>
{
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const SQLite::Exception& exception) {
    return base_failure(what, file, exception.what());
  }
}

inline void bind_all(SQLite::Statement&, int) {}
template <class First, class... Rest>
void bind_all(SQLite::Statement& statement, int at, const First& first, const Rest&... rest)
{
  statement.bind(at, first);
  bind_all(statement, at + 1, rest...);
}

// Runs a statement that gives no rows; says how many it changed.
template <class... Values> int change(Base::Opened& opened, const char* sql, const Values&... values)
{
  SQLite::Statement& statement = opened.statement(sql);
  bind_all(statement, 1, values...);
  return statement.exec();
}

// Rows of a statement, each to `each`; ends the statement, so that no lock stays.
template <class Each, class... Values>
void for_rows(Base::Opened& opened, const char* sql, const Each& each, const Values&... values)
{
  SQLite::Statement& statement = opened.statement(sql);
  bind_all(statement, 1, values...);
  while (statement.executeStep()) {
    each(statement);
  }
  statement.reset();
}

constexpr int k_schema_version = 1;
extern const char* const k_schema;

// Adds the entry to its tables, within a transaction that is open. False: known.
bool insert_entry(Base::Opened& opened, const Entry& entry);
bool is_forgotten(Base::Opened& opened, const Entry& entry);
// What the remaining changes say, after some were removed; likewise what words of failures are found by.
void hold_anew(Base::Opened& opened, const std::string& state, const std::string& technique);
void index_failures_anew(Base::Opened& opened);
// Conditions on the table `evidence`, whose state is a whole id, with the values to bind.
std::pair<std::string, std::vector<std::string>> evidence_conditions(const Filter& filter);
// Sums of one technique in one state, made anew from the evidence; likewise within a transaction.
void sum_anew(Base::Opened& opened, const std::string& state, const std::string& technique);
Aggregate sums_of_evidence(Base::Opened& opened, const std::string& state, const std::string& technique);
Aggregate aggregate_in(SQLite::Statement& row, int first);
constexpr const char* k_aggregate_columns = "state, technique, tries, failures, weight, sum, squares, failed, rewards, "
                                            "returns, return_sum, predicted, within, gaps, seconds, as_of, last";

// `prefix` is an id or the beginning of one. An error where several begin so.
Result<std::string> full_state_id(const Base& base, const std::string& prefix);

// Signatures of the states of kernels that are like this one at all, with their ids.
std::vector<std::pair<std::string, Signature>> signatures_like(Base::Opened& opened, const Signature& signature);
std::string traits_words(const Signature& signature); // "strided access=4;latency chain=1", as the column has them

Entry parsed_entry(const std::string& json); // of a row; throws SQLite::Exception where it is none

} // namespace hone::knowledge
