#include "store/adoption.h"

#include "store/checkpoint_files.h"
#include "store/record_rows.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace hone::store {

namespace {

struct Orphan {
  Commit commit;
  record::Record record;
  std::int64_t number = 0; // 0: of a Hone that did not write any yet, so before those that have one
};

Result<std::vector<Orphan>> find_orphans(const Repository& repository, const std::set<std::string>& known)
{
  std::vector<Orphan> orphans;
  HONE_TRY(const auto ids, repository.checkpoint_ids());
  for (const std::string& id : ids) {
    if (known.contains(id)) {
      continue;
    }
    if (auto commit = repository.read(id)) {
      if (auto record = record_of(*commit)) {
        const std::int64_t number = number_of(*commit);
        orphans.push_back({std::move(*commit), std::move(*record), number});
      }
    }
  }
  std::ranges::sort(
    orphans, {}, [](const Orphan& orphan) { return std::tuple(orphan.number, orphan.commit.time, orphan.commit.id); });
  return orphans;
}

} // namespace

Result<void> adopt_commits(Journal& journal, const Repository& repository)
{
  HONE_TRY(const auto rows, journal.checkpoints());
  std::set<std::string> known;
  for (const JournalCheckpoint& row : rows) {
    known.insert(row.id);
  }
  HONE_TRY(const auto orphans, find_orphans(repository, known));
  std::set<std::string> waiting;
  for (const Orphan& orphan : orphans) {
    waiting.insert(orphan.commit.id);
  }
  while (!waiting.empty()) {
    for (const auto& [commit, record, number] : orphans) {
      if (!waiting.contains(commit.id) || waiting.contains(commit.parent)) {
        continue;
      }
      HONE_TRY(const std::int64_t row, journal_record(journal, record));
      HONE_CHECK(journal.append(JournalCheckpoint{commit.id, commit.parent, record.transformation, row, number}));
      waiting.erase(commit.id);
    }
  }
  return {};
}

} // namespace hone::store
