#include "store/journal_repair.h"

#include "store/storage_error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace hone::store {

namespace {

fs::path beside(const fs::path& file, std::string_view suffix)
{
  return file.string() + std::string(suffix);
}

fs::path draft_of(const fs::path& file)
{
  return beside(file, ".rebuilding");
}

// From the moment it has this name it is complete.
fs::path complete_of(const fs::path& file)
{
  return beside(file, ".repaired");
}

fs::path kept_place(const fs::path& file, int number)
{
  return file.parent_path() / "damaged" / fmt::format("journal-{}.db", number);
}

// The number of the newest kept journal; 0 where there is none.
int newest_kept(const fs::path& file)
{
  int number = 0;
  std::error_code ignored;
  while (fs::exists(kept_place(file, number + 1), ignored)) {
    ++number;
  }
  return number;
}

Result<void> rename_file(const fs::path& from, const fs::path& to)
{
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    return storage_failure("rename", from, error.message());
  }
  return {};
}

// Renames are on the disk once their folder is.
void flush_folder(const fs::path& folder)
{
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

Result<void> write_draft(const fs::path& draft, const JournalContents& contents)
{
  {
    HONE_TRY(Journal journal, Journal::open(draft));
    HONE_CHECK(journal.fill(contents));
  }
  // Closing folds the write-ahead file in; where there was no room for that, the draft alone is not all of it.
  std::error_code ignored;
  if (fs::exists(beside(draft, "-wal"), ignored)) {
    return storage_failure("write", draft, "its write-ahead file could not be folded in: the disk is full");
  }
  return {};
}

Result<fs::path> keep_old(const fs::path& file)
{
  std::error_code error;
  if (!fs::exists(file, error)) {
    return fs::path();
  }
  const fs::path kept = kept_place(file, newest_kept(file) + 1);
  fs::create_directories(kept.parent_path(), error);
  fs::create_hard_link(file, kept, error);
  if (error) { // not every file system has links
    fs::copy_file(file, kept, error);
  }
  if (error) {
    return storage_failure("keep a copy of", file, error.message());
  }
  return kept;
}

} // namespace

Result<fs::path> replace_journal(const fs::path& file, const JournalContents& contents)
{
  std::error_code ignored;
  for (const fs::path& dead : repair_leftovers(file)) {
    fs::remove(dead, ignored);
  }
  HONE_CHECK(write_draft(draft_of(file), contents));
  HONE_TRY(const fs::path kept, keep_old(file));
  HONE_CHECK(rename_file(draft_of(file), complete_of(file)));
  flush_folder(file.parent_path());
  HONE_CHECK(finish_repair(file));
  return kept;
}

// The old one's write-ahead file must go first: read together with the new journal it would damage that one.
Result<void> finish_repair(const fs::path& file)
{
  std::error_code error;
  if (!fs::exists(complete_of(file), error)) {
    return {};
  }
  if (fs::exists(beside(file, "-wal"), error)) {
    const fs::path kept = kept_place(file, std::max(newest_kept(file), 1));
    fs::create_directories(kept.parent_path(), error);
    HONE_CHECK(rename_file(beside(file, "-wal"), beside(kept, "-wal")));
  }
  fs::remove(beside(file, "-shm"), error);
  HONE_CHECK(rename_file(complete_of(file), file));
  flush_folder(file.parent_path());
  return {};
}

std::vector<fs::path> repair_leftovers(const fs::path& file)
{
  std::vector<fs::path> found;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const fs::path part = beside(draft_of(file), suffix);
    std::error_code ignored;
    if (fs::exists(part, ignored)) {
      found.push_back(part);
    }
  }
  return found;
}

} // namespace hone::store
