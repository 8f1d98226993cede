#include "store/store_check.h"

#include "store/adoption.h"
#include "store/folder_lock.h"
#include "store/journal_check.h"
#include "store/repository_check.h"
#include "store/state_folder.h"
#include "store/storage_error.h"
#include "util/temporary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unistd.h>

namespace hone::store {

namespace {

bool is_there(const fs::path& path)
{
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// One workflow's folder.
class FolderCheck {
public:
  FolderCheck(fs::path folder, bool repair, bool busy) : m_folder(std::move(folder)), m_repair(repair), m_busy(busy) {}

  Result<Findings> run() &&
  {
    check_key();
    if (!m_busy) {
      HONE_CHECK(check_leftovers());
    }
    if (!is_there(repository())) {
      if (is_there(journal())) {
        add("", "repo.git", "it is not there: the candidates of all checkpoints are lost",
            "bring it back from a copy, or move this folder aside and start again");
      }
      return std::move(m_findings);
    }
    HONE_CHECK(check_frame());
    const auto opened = Repository::open_existing(repository());
    if (!opened) {
      add("", "repo.git", opened.error().message, "bring it back from a copy; `git fsck` there tells more");
      return std::move(m_findings);
    }
    HONE_CHECK(check_files());
    HONE_CHECK(check_rows());
    return std::move(m_findings);
  }

private:
  fs::path repository() const { return m_folder / "repo.git"; }
  fs::path journal() const { return m_folder / "journal.db"; }

  // `done`: what a repair did about it; "" where it could do nothing.
  void add(const std::string& done, const fs::path& file, const std::string& what, const std::string& way_out,
           Finding::Kind kind = Finding::Kind::damage)
  {
    const bool mended = !done.empty();
    m_findings.push_back({kind, (m_folder / file).string(), what, mended ? done : way_out, mended});
  }

  void check_key()
  {
    if (!has_key(m_folder)) {
      add("", "key.json", "it does not say whose workflow this is",
          "`hone optimize` on that kernel, backend and device writes it again");
    }
  }

  std::vector<fs::path> leftovers() const
  {
    std::vector<fs::path> found = abandoned_in(m_folder);
    std::ranges::move(repository_leftovers(repository()), std::back_inserter(found));
    std::ranges::move(repair_leftovers(journal()), std::back_inserter(found));
    if (const fs::path draft = m_folder / "repo.git.new"; is_there(draft)) {
      found.push_back(draft);
    }
    return found;
  }

  Result<void> check_leftovers()
  {
    for (const fs::path& dead : leftovers()) {
      std::error_code error;
      const bool removed = m_repair && fs::remove_all(dead, error) > 0 && !error;
      add(removed ? "removed" : "", dead.lexically_relative(m_folder), "half written by a process that ended",
          "nobody reads it: `hone fsck --repair` removes it", Finding::Kind::leftover);
    }
    if (is_there(m_folder / "journal.db.repaired")) {
      if (m_repair) {
        HONE_CHECK(finish_repair(journal()));
      }
      add(m_repair ? "finished" : "", "journal.db.repaired", "a repair was interrupted",
          "the next command that writes finishes it; so does `hone fsck --repair`", Finding::Kind::leftover);
    }
    return {};
  }

  Result<void> check_frame()
  {
    for (const char* name : {"HEAD", "config"}) {
      const auto text = read_file(repository() / name);
      if (text && !text->empty()) {
        continue;
      }
      if (m_repair) {
        HONE_CHECK(restore_frame(repository()));
      }
      add(m_repair ? "written again" : "", fs::path("repo.git") / name, text ? "it is empty" : "it cannot be read",
          "`hone fsck --repair` writes it again: it says the same in every workflow");
    }
    return {};
  }

  Result<void> check_files()
  {
    HONE_TRY(const std::vector<DamagedFile> objects, damaged_objects(repository()));
    HONE_CHECK(take_in(objects));
    HONE_TRY(const std::vector<DamagedFile> references, damaged_references(repository())); // to what is there now
    return take_in(references);
  }

  Result<void> take_in(const std::vector<DamagedFile>& damaged)
  {
    for (const DamagedFile& found : damaged) {
      std::string done;
      if (m_repair) {
        HONE_TRY(const fs::path place, set_aside(repository(), found.file));
        done = fmt::format("set aside as {}", place.string());
      }
      add(done, found.file.lexically_relative(m_folder), found.cause,
          "`hone fsck --repair` sets it aside; a climb that comes to the same content writes it again");
    }
    return {};
  }

  // Cut short before anything was in it, it is what a full disk or a kill left of its making. It is made before the
  // first checkpoint is; an interrupted repair has been named already.
  void name_lost_journal(bool nothing_kept, JournalCheck& check) const
  {
    if (!is_there(journal())) {
      if (!nothing_kept && !is_there(m_folder / "journal.db.repaired")) {
        check.findings.push_back({Finding::Kind::damage, "journal.db", "it is not there",
                                  "bring it back from a copy, or `hone fsck --repair` makes one from the commits"});
        check.must_be_replaced = true;
      }
      return;
    }
    if (nothing_kept && Journal::is_unfinished(journal())) {
      check.findings.push_back({Finding::Kind::leftover, "journal.db", "its making was cut short",
                                "the next command that writes makes it; so does `hone fsck --repair`"});
      return;
    }
    check.findings.push_back({Finding::Kind::damage, "journal.db", "it is no journal",
                              "`hone fsck --repair` keeps it beside one that is made from the commits"});
    check.must_be_replaced = true;
  }

  Result<void> check_rows()
  {
    JournalCheck check;
    {
      HONE_TRY(const Repository opened, Repository::open_existing(repository()));
      const auto journal_read = Journal::open_to_read(journal());
      if (!journal_read) { // of a newer Hone, or not readable for us: nothing here is ours to mend
        add("", "journal.db", journal_read.error().message, journal_read.error().hint);
        return {};
      }
      const std::optional<Journal>& read = *journal_read;
      HONE_TRY(check, check_journal(read ? &*read : nullptr, opened, m_busy));
      if (!read) {
        HONE_TRY(const std::vector<std::string> kept, opened.checkpoint_ids());
        name_lost_journal(kept.empty(), check);
      }
    } // closed: now it may be replaced
    std::string done;
    if (m_repair) {
      HONE_TRY(done, mend(check));
    }
    for (Finding& finding : check.findings) {
      add(done, finding.where, finding.what, finding.way_out, finding.kind);
    }
    return {};
  }

  // What was done.
  Result<std::string> mend(const JournalCheck& check)
  {
    std::string done = "mended";
    if (check.must_be_replaced) {
      HONE_TRY(const fs::path kept, replace_journal(journal(), check.sound));
      done = kept.empty() ? done : fmt::format("mended; the journal before is {}", kept.string());
    }
    HONE_TRY(Repository opened, Repository::open_existing(repository()));
    for (const std::string& id : check.unkept) {
      HONE_CHECK(opened.write_checkpoint_ref(id));
    }
    for (const std::string& id : check.broken) {
      HONE_CHECK(opened.mark_damaged(id));
    }
    HONE_TRY(Journal rows, Journal::open(journal()));
    HONE_CHECK(adopt_commits(rows, opened));
    return done;
  }

  fs::path m_folder;
  bool m_repair = false;
  bool m_busy = false;
  Findings m_findings;
};

// A workflow's folder by what lies in it: its key may be what is damaged.
Result<std::vector<fs::path>> workflow_folders(const fs::path& state)
{
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(state, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& folder = entry->path();
    if (is_there(folder / "key.json") || is_there(folder / "journal.db") || is_there(folder / "repo.git" / "objects")) {
      folders.push_back(folder);
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return storage_failure("read", state, error.message());
  }
  std::ranges::sort(folders);
  return folders;
}

} // namespace

Result<StoreCheck> check_store(const fs::path& state, bool repair,
                               const std::function<bool(const std::string& holder)>& waiting)
{
  StoreCheck result;
  HONE_TRY(const std::vector<fs::path> folders, workflow_folders(state));
  for (const fs::path& folder : folders) {
    // On a read-only folder nobody holds a lock.
    const bool writable = ::access(folder.c_str(), W_OK) == 0;
    std::optional<FolderLock> lock;
    if (repair || writable) {
      auto taken = repair ? FolderLock::acquire(folder / "lock", k_patience, waiting)
                          : FolderLock::acquire(folder / "lock", std::chrono::milliseconds(0));
      if (taken) {
        lock.emplace(std::move(*taken));
      } else if (repair) {
        return std::unexpected(std::move(taken.error()));
      } else {
        result.busy.push_back(taken.error().message);
      }
    }
    HONE_TRY(Findings findings, FolderCheck(folder, repair, writable && !lock).run());
    std::ranges::move(findings, std::back_inserter(result.findings));
    result.workflows.push_back(folder);
  }
  return result;
}

} // namespace hone::store
