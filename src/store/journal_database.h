// What the files of the journal share: its database, and where its exceptions end. (internal to the journal)
#pragma once

#include "store/journal.h"
#include "store/storage_error.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string_view>
#include <type_traits>

namespace hone::store {

struct Journal::Opened {
  fs::path file;
  std::optional<TemporaryFolder> copy; // that the database is read from; outlives it
  SQLite::Database database;
};

// Whether a part of the file itself is damaged, or it is no database at all.
inline bool is_damage(const SQLite::Exception& exception)
{
  constexpr int k_corrupt = 11, k_not_a_database = 26; // SQLITE_CORRUPT, SQLITE_NOTADB
  return exception.getErrorCode() == k_corrupt || exception.getErrorCode() == k_not_a_database;
}

// SQLiteCpp throws; here its exceptions end.
template <class Work>
auto guarded(std::string_view what, const fs::path& file, Work work)
  -> std::conditional_t<std::is_same_v<decltype(work()), Result<void>>, Result<void>, Result<decltype(work())>>
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

} // namespace hone::store
