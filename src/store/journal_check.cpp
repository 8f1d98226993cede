#include "store/journal_check.h"

#include "store/branches.h"
#include "store/checkpoint_files.h"
#include "store/record_rows.h"
#include "util/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::store {

namespace {

constexpr const char* k_salvaged = "`hone fsck --repair` keeps what can be read of it, and the old one beside it";
constexpr const char* k_replaced = "`hone fsck --repair` writes a journal without it and keeps the old one beside it";
constexpr const char* k_corrected = "`hone fsck --repair` takes it from the commit";

// A commit that was read back as what it should hold.
struct Read {
  Commit commit;
  record::Record record;
};

// Fails where the commit, its record and the candidate in it do not belong together.
Result<Read> read_checkpoint(const Repository& repository, const std::string& id)
{
  Read read;
  HONE_TRY(read.commit, repository.read(id));
  HONE_TRY(read.record, record_of(read.commit));
  HONE_TRY(const kernel::TuningPoint point, point_of(read.commit));
  if (const std::string hash = candidate_hash(read.commit); hash != read.record.candidate) {
    return fail(
      fmt::format("its files are candidate {:.12}, and its record is about {:.12}", hash, read.record.candidate));
  }
  if (point != read.record.point) {
    return fail("its point.json is not the tuning point of its record");
  }
  if (record::identity_of(read.record) != read.record.id) {
    return fail("its record does not have the identity that belongs to it");
  }
  return read;
}

class Check {
public:
  Check(const Journal& journal, const Repository& repository, bool busy)
    : m_journal(journal), m_repository(repository), m_busy(busy)
  {
  }

  Result<JournalCheck> run() &&
  {
    for (const std::string& finding : as_far_as_readable(m_journal.damage())) {
      add("journal.db", finding, k_salvaged);
      m_result.must_be_replaced = true;
    }
    // Another Hone may be at work on it, and rows are only added: what points first, then what it points to, then the
    // commits, which are made before their rows.
    std::vector<JournalValue> values = as_far_as_readable(m_journal.values());
    std::vector<JournalCheckpoint> rows = as_far_as_readable(m_journal.checkpoints());
    std::vector<JournalRecord> records = as_far_as_readable(m_journal.records());
    m_result.sound.spent = as_far_as_readable(m_journal.spent());
    take_in(std::move(records));
    for (JournalCheckpoint& row : rows) {
      take_in(std::move(row));
    }
    name_broken_records();
    take_in(std::move(values));
    HONE_CHECK(check_refs());
    return std::move(m_result);
  }

private:
  void add(std::string where, std::string what, std::string way_out, Finding::Kind kind = Finding::Kind::damage)
  {
    m_result.findings.push_back({kind, std::move(where), std::move(what), std::move(way_out)});
  }

  template <class T> T as_far_as_readable(Result<T> part)
  {
    if (part) {
      return std::move(*part);
    }
    add("journal.db", part.error().message, k_salvaged);
    m_result.must_be_replaced = true;
    return {};
  }

  void take_in(std::vector<JournalRecord> records)
  {
    for (JournalRecord& row : records) {
      const auto record = parse_record(row);
      if (!record) {
        m_broken_records[row.number] = record.error().message;
      } else if (record->id != row.id || record::identity_of(*record) != record->id) {
        m_broken_records[row.number] =
          fmt::format("journal.db: record {} does not have the identity that belongs to it", row.number);
      } else {
        m_result.sound.records.push_back(std::move(row));
      }
    }
  }

  void take_in(JournalCheckpoint row)
  {
    const auto read = read_checkpoint(m_repository, row.id);
    if (!read) {
      add(fmt::format("checkpoint {}", row.id), read.error().message,
          "`hone resume` finds what follows from it again; `hone fsck --repair` takes it out of the list");
      m_result.must_be_replaced = true;
      m_lost.insert(row.id);
      return;
    }
    const std::string where = fmt::format("journal.db: checkpoint {}", row.id);
    if (row.parent != read->commit.parent || row.transformation != read->record.transformation) {
      add(where, "its row says another parent or step than its commit", k_corrected);
      m_result.must_be_replaced = true;
      row.parent = read->commit.parent;
      row.transformation = read->record.transformation;
    }
    settle_record(row, read->record, where);
    m_known.insert(row.id);
    m_result.sound.checkpoints.push_back(std::move(row));
  }

  // The row's record is the commit's; else it becomes that. The number may be what is damaged, and the record that lies
  // there another checkpoint's.
  void settle_record(JournalCheckpoint& row, const record::Record& record, const std::string& where)
  {
    const std::string text = record_text(record);
    std::vector<JournalRecord>& records = m_result.sound.records;
    const auto found = std::ranges::find(records, row.record, &JournalRecord::number);
    const bool taken = found != records.end();
    if (taken && holds(*found, text)) {
      return;
    }
    m_result.must_be_replaced = true;
    const auto broken = m_broken_records.find(row.record);
    add(where,
        taken                              ? fmt::format("record {} is not the one in its commit", row.record)
        : broken != m_broken_records.end() ? broken->second
                                           : fmt::format("there is no record {}", row.record),
        k_corrected);
    const auto own = std::ranges::find_if(records, [&](const JournalRecord& other) { return holds(other, text); });
    if (own != records.end()) {
      row.record = own->number;
      return;
    }
    const std::int64_t last = std::max(records.empty() ? 0 : records.back().number,
                                       m_broken_records.empty() ? 0 : m_broken_records.rbegin()->first);
    if (taken || row.record < 1 || row.record > last) {
      row.record = last + 1;
    }
    m_broken_records.erase(row.record);
    const auto behind = std::ranges::upper_bound(records, row.record, {}, &JournalRecord::number);
    records.insert(behind, {row.record, record.id, text, true});
  }

  // Those that no commit could replace.
  void name_broken_records()
  {
    for (const auto& [number, what] : m_broken_records) {
      add(fmt::format("journal.db: record {}", number), what, k_replaced);
      m_result.must_be_replaced = true;
    }
  }

  bool is_sound(JournalValue& value) const
  {
    if (value.name == k_best_value) {
      return value.value.empty() || m_known.contains(value.value);
    }
    if (value.name != k_branches_value) {
      return true;
    }
    auto branches = parse_branches(value.value);
    if (!branches) {
      return false;
    }
    const bool sound =
      std::ranges::all_of(*branches, [&](const auto& branch) { return m_known.contains(branch.second); });
    if (!sound) { // the others stay
      std::erase_if(*branches, [&](const auto& branch) { return !m_known.contains(branch.second); });
      value.value = Json(*branches).dump();
    }
    return sound;
  }

  // Only the newest of a name counts; older ones are history, in which what is gone by now may well stand.
  void take_in(std::vector<JournalValue> values)
  {
    std::map<std::string, bool> newest_is_sound;
    for (JournalValue& value : values) {
      const std::string before = value.value;
      const bool sound = is_sound(value);
      newest_is_sound[value.name] = sound;
      if (sound || value.value != before) {
        m_result.sound.values.push_back(std::move(value));
      }
    }
    for (const auto& [name, sound] : newest_is_sound) {
      if (!sound) {
        add(fmt::format("journal.db: {}", name), "it names a checkpoint that is not there",
            "`hone fsck --repair` goes back to the newest one that is");
        m_result.must_be_replaced = true;
      }
    }
  }

  Result<void> check_refs()
  {
    HONE_TRY(const std::vector<std::string> kept, m_repository.checkpoint_ids());
    const std::set<std::string> ids(kept.begin(), kept.end());
    for (const JournalCheckpoint& row : m_result.sound.checkpoints) {
      if (!ids.contains(row.id)) {
        add(fmt::format("repo.git: refs/checkpoints/{}", row.id),
            "it is missing or damaged: git may delete the checkpoint", "`hone fsck --repair` writes it again");
        m_result.unkept.push_back(row.id);
      }
    }
    for (const std::string& id : kept) {
      if (!m_known.contains(id)) {
        check_unknown(id);
      }
    }
    return {};
  }

  void check_unknown(const std::string& id)
  {
    if (m_lost.contains(id)) {
      m_result.broken.push_back(id); // named already
    } else if (const auto read = read_checkpoint(m_repository, id); !read) {
      add(fmt::format("repo.git: commit {}", id), "it is no checkpoint: " + read.error().message,
          "`hone fsck --repair` keeps it apart as refs/damaged");
      m_result.broken.push_back(id);
    } else if (!m_busy) {
      add(fmt::format("repo.git: commit {}", id), "the journal does not know this checkpoint yet",
          "the next command that writes takes it up; so does `hone fsck --repair`", Finding::Kind::leftover);
    }
  }

  const Journal& m_journal;
  const Repository& m_repository;
  bool m_busy = false;
  JournalCheck m_result;
  std::map<std::int64_t, std::string> m_broken_records; // number -> what is wrong
  std::set<std::string> m_known;                        // sound checkpoints
  std::set<std::string> m_lost;                         // in the journal, and cannot be read
};

} // namespace

Result<JournalCheck> check_journal(const Journal* journal, const Repository& repository, bool busy)
{
  if (journal != nullptr) {
    return Check(*journal, repository, busy).run();
  }
  HONE_TRY(const Journal nothing, Journal::in_memory("journal.db"));
  return Check(nothing, repository, busy).run();
}

} // namespace hone::store
