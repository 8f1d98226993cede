#include "store/store.h"

#include "store/adoption.h"
#include "store/branches.h"
#include "store/checkpoint_files.h"
#include "store/folder_lock.h"
#include "store/journal.h"
#include "store/journal_repair.h"
#include "store/record_rows.h"
#include "store/repository.h"
#include "store/state_folder.h"
#include "store/storage_error.h"
#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::store {

struct Workflow::Impl {
  fs::path folder;
  kernel::Kernel kernel;          // candidates are checked against it when they are read back
  std::optional<FolderLock> lock; // none: opened to read
  Repository repository;
  Journal journal;

  Result<void> require_lock() const;
  Result<void> require_checkpoint(const std::string& id) const;
  void mend_best_branch();
  Result<Checkpoint> read(const std::string& id) const;
  Result<std::string> resolve(const std::string& name) const;
  Result<std::vector<std::string>> matching(const std::string& prefix) const;
};

namespace {

constexpr std::size_t k_shortest_prefix = 4;

// From the root to `id`. Where rows are lost or damaged, the path begins at the first checkpoint that is known, and a
// circle of parents ends it.
std::vector<std::string> path_in(const std::vector<JournalCheckpoint>& rows, const std::string& id)
{
  std::map<std::string, std::string> parents;
  for (const JournalCheckpoint& row : rows) {
    parents[row.id] = row.parent;
  }
  std::vector<std::string> path{id};
  while (parents.contains(parents[path.back()]) && std::ranges::find(path, parents[path.back()]) == path.end()) {
    path.push_back(parents[path.back()]);
  }
  std::ranges::reverse(path);
  return path;
}

} // namespace

Workflow::Workflow(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Workflow::Workflow(Workflow&&) noexcept = default;
Workflow::~Workflow() = default;

Result<Workflow> Workflow::open(const fs::path& state, const kernel::Kernel& kernel, const Key& key,
                                const Waiting& waiting)
{
  HONE_TRY(const fs::path folder, prepare_folder(state, kernel.name, key));
  HONE_TRY(FolderLock lock, FolderLock::acquire(folder / "lock", k_patience, waiting));
  HONE_CHECK(settle_key(folder, kernel.name, key));
  HONE_TRY(Repository repository, Repository::open(folder / "repo.git"));
  HONE_CHECK(finish_repair(folder / "journal.db"));
  HONE_TRY(Journal journal, Journal::open(folder / "journal.db"));
  auto impl = std::make_unique<Impl>(Impl{folder, kernel, std::move(lock), std::move(repository), std::move(journal)});
  HONE_CHECK(adopt_commits(impl->journal, impl->repository));
  impl->mend_best_branch();
  repair_branches(impl->journal, impl->repository);
  return Workflow(std::move(impl));
}

Result<Workflow> Workflow::open_to_read(const fs::path& state, const kernel::Kernel& kernel, const Key& key)
{
  const fs::path folder = state / folder_name(kernel.name, key);
  const fs::path file = folder / "journal.db";
  HONE_TRY(Repository repository, Repository::open_existing(folder / "repo.git"));
  HONE_TRY(std::optional<Journal> journal, Journal::open_to_read(file));
  if (!journal) { // the commits are enough to rebuild it
    HONE_TRY(Journal rebuilt, Journal::in_memory(file));
    HONE_CHECK(adopt_commits(rebuilt, repository));
    journal.emplace(std::move(rebuilt));
  }
  return Workflow(
    std::make_unique<Impl>(Impl{folder, kernel, std::nullopt, std::move(repository), std::move(*journal)}));
}

Result<void> Workflow::Impl::require_lock() const
{
  if (!lock) {
    return fail(fmt::format("the workflow in '{}' was opened to read only", folder.string()));
  }
  return {};
}

Result<void> Workflow::Impl::require_checkpoint(const std::string& id) const
{
  HONE_TRY(const auto ids, matching(id));
  if (ids.size() != 1 || ids.front() != id) {
    return fail(fmt::format("no checkpoint '{}' in {}", id, folder.string()));
  }
  return {};
}

Result<std::vector<Workflow::Key>> Workflow::list(const fs::path& state)
{
  return keys_under(state);
}

const fs::path& Workflow::folder() const
{
  return m_impl->folder;
}

// The journal's word counts; the branch is for people who look with git, so on a full disk it may lag behind.
void Workflow::Impl::mend_best_branch()
{
  if (const auto best = journal.recall(k_best_value); best && !best->empty()) {
    static_cast<void>(repository.set_branch("best", *best));
  }
}

Result<void> Workflow::append(const record::Record& record)
{
  HONE_CHECK(m_impl->require_lock());
  HONE_TRY([[maybe_unused]] const std::int64_t row, m_impl->journal.append(record.id, record_text(record)));
  return {};
}

Result<Checkpoint> Workflow::add_checkpoint(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                                            const record::Record& record, const std::string& parent)
{
  HONE_CHECK(m_impl->require_lock());
  if (kernel.hash != m_impl->kernel.hash) {
    return fail("this checkpoint belongs to another kernel", "open the workflow of that kernel");
  }
  if (std::ranges::find(record.verdict.checks, record::k_forced_inputs, &record::CheckResult::name)
      != record.verdict.checks.end()) {
    return fail("a verdict on forced inputs is no ground for a checkpoint", "validate the candidate on all inputs");
  }
  HONE_TRY(const std::int64_t row, journal_record(m_impl->journal, record));
  HONE_TRY(const std::int64_t number, m_impl->journal.next_checkpoint_number());
  HONE_TRY(const std::string id,
           m_impl->repository.commit(checkpoint_files(candidate, record), commit_message(record, number), parent));
  HONE_CHECK(m_impl->journal.append(JournalCheckpoint{id, parent, record.transformation, row, number}));
  return m_impl->read(id);
}

Result<Checkpoint> Workflow::Impl::read(const std::string& id) const
{
  const auto damaged = [&](const Error& error) {
    return fail(fmt::format("checkpoint {} cannot be read: {}", id.substr(0, 12), error.message),
                "the others are usable; `hone fsck` says what is damaged");
  };
  const auto commit = repository.read(id);
  if (!commit) {
    return damaged(commit.error());
  }
  auto checkpoint = checkpoint_of(kernel, *commit);
  if (!checkpoint) {
    return damaged(checkpoint.error());
  }
  return checkpoint;
}

Result<std::vector<Checkpoint>> Workflow::checkpoints() const
{
  HONE_TRY(const auto rows, m_impl->journal.checkpoints());
  std::vector<Checkpoint> checkpoints;
  for (const JournalCheckpoint& row : rows) {
    // One damaged checkpoint must not hide the rest; check() names it.
    if (auto checkpoint = m_impl->read(row.id)) {
      checkpoints.push_back(std::move(*checkpoint));
    }
  }
  return checkpoints;
}

Result<std::vector<std::string>> Workflow::Impl::matching(const std::string& prefix) const
{
  HONE_TRY(const auto rows, journal.checkpoints());
  std::vector<std::string> ids;
  for (const JournalCheckpoint& row : rows) {
    if (row.id.starts_with(prefix)) {
      ids.push_back(row.id);
    }
  }
  return ids;
}

// "best", "HEAD" and branches before prefixes; "start" is where the path to the best (else the newest) checkpoint
// began.
Result<std::string> Workflow::Impl::resolve(const std::string& name) const
{
  HONE_TRY(const auto rows, journal.checkpoints());
  HONE_TRY(const std::string best, journal.recall(k_best_value));
  if (rows.empty()) {
    return fail("this workflow has no checkpoints yet", "`hone optimize` makes some");
  }
  if (name == "HEAD") {
    return rows.back().id;
  }
  if (name == "best") {
    if (best.empty()) {
      return fail("no checkpoint has been found best yet", "name one by its id, or use `start` or `HEAD`");
    }
    return best;
  }
  if (name == "start") {
    return path_in(rows, best.empty() ? rows.back().id : best).front();
  }
  HONE_TRY(const auto branches, branches_in(journal));
  if (const auto branch = branches.find(name); branch != branches.end()) {
    return branch->second;
  }
  HONE_TRY(const auto ids, matching(name));
  if (name.size() < k_shortest_prefix || ids.empty()) {
    return fail(
      fmt::format("no checkpoint '{}' in {}", name, folder.string()),
      fmt::format("give at least {} digits of its id, a branch, or `best`, `start`, `HEAD`; `hone log` lists them",
                  k_shortest_prefix));
  }
  if (ids.size() > 1) {
    std::string all;
    for (const std::string& id : ids) {
      all += " " + id.substr(0, std::max<std::size_t>(12, name.size() + 2));
    }
    return fail(fmt::format("'{}' begins several checkpoints:{}", name, all), "give more digits");
  }
  return ids.front();
}

Result<Checkpoint> Workflow::find(const std::string& name) const
{
  HONE_TRY(const std::string id, m_impl->resolve(name));
  return m_impl->read(id);
}

Result<std::optional<Checkpoint>> Workflow::best() const
{
  HONE_TRY(const std::string id, m_impl->journal.recall(k_best_value));
  if (id.empty()) {
    return std::nullopt;
  }
  // A damaged one must not keep anybody from finding another; check() names it.
  auto checkpoint = m_impl->read(id);
  return checkpoint ? std::optional(std::move(*checkpoint)) : std::nullopt;
}

Result<void> Workflow::set_best(const std::string& id)
{
  HONE_CHECK(m_impl->require_lock());
  HONE_CHECK(m_impl->require_checkpoint(id));
  HONE_CHECK(m_impl->journal.remember(k_best_value, id));
  return m_impl->repository.set_branch("best", id);
}

Result<std::map<std::string, std::string>> Workflow::branches() const
{
  return branches_in(m_impl->journal);
}

Result<void> Workflow::set_branch(const std::string& name, const std::string& id)
{
  HONE_CHECK(m_impl->require_lock());
  HONE_CHECK(check_branch_name(name));
  HONE_CHECK(m_impl->require_checkpoint(id));
  return write_branch(m_impl->journal, m_impl->repository, name, id);
}

Result<void> Workflow::delete_branch(const std::string& name)
{
  HONE_CHECK(m_impl->require_lock());
  HONE_TRY(const auto branches, branches_in(m_impl->journal));
  if (!branches.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [known, id] : branches) {
      names.push_back(known);
    }
    return fail(fmt::format("there is no branch '{}'", name),
                names.empty() ? "this workflow has no branches" : "the branches are: " + join(names, ", "));
  }
  return write_branch(m_impl->journal, m_impl->repository, name, "");
}

Result<std::vector<std::string>> Workflow::path_to(const std::string& id) const
{
  HONE_CHECK(m_impl->require_checkpoint(id));
  HONE_TRY(const auto rows, m_impl->journal.checkpoints());
  return path_in(rows, id);
}

Result<std::vector<Step>> Workflow::steps() const
{
  HONE_TRY(const auto rows, m_impl->journal.records());
  HONE_TRY(const auto checkpoints, m_impl->journal.checkpoints());
  std::map<std::int64_t, std::string> became;
  for (const JournalCheckpoint& checkpoint : checkpoints) {
    became.emplace(checkpoint.record, checkpoint.id);
  }
  std::vector<Step> steps;
  for (const JournalRecord& row : rows) {
    // One damaged record must not hide the rest; check() names it.
    if (auto record = parse_record(row)) {
      const auto checkpoint = became.find(row.number);
      steps.push_back({row.number, std::move(*record), checkpoint == became.end() ? "" : checkpoint->second});
    }
  }
  return steps;
}

Result<std::optional<record::Record>> Workflow::cached(const record::Record& identity) const
{
  HONE_TRY(const auto rows, m_impl->journal.records_of(identity.id));
  for (const JournalRecord& row : rows) {
    auto record = parse_record(row);
    const bool same = record && record->kind == identity.kind
                      && (identity.incumbent.empty() || record->incumbent == identity.incumbent);
    if (same) {
      return std::optional(std::move(*record));
    }
  }
  return std::nullopt;
}

Result<std::string> Workflow::diff(const std::string& from, const std::string& to) const
{
  HONE_TRY(const std::string before, m_impl->resolve(from));
  HONE_TRY(const std::string after, m_impl->resolve(to));
  return m_impl->repository.diff(before, after, k_candidate_folder);
}

Result<void> Workflow::remember(const std::string& name, const std::string& value)
{
  HONE_CHECK(m_impl->require_lock());
  return m_impl->journal.remember(name, value);
}

Result<std::string> Workflow::recall(const std::string& name) const
{
  return m_impl->journal.recall(name);
}

Result<void> Workflow::spend(const std::string& phase, double seconds)
{
  HONE_CHECK(m_impl->require_lock());
  return m_impl->journal.spend(phase, seconds);
}

Result<std::map<std::string, double>> Workflow::spent() const
{
  return m_impl->journal.spent();
}

Result<std::vector<std::string>> Workflow::check() const
{
  HONE_TRY(std::vector<std::string> findings, m_impl->journal.damage());
  HONE_TRY(const auto rows, m_impl->journal.records());
  for (const JournalRecord& row : rows) {
    if (const auto record = parse_record(row); !record) {
      findings.push_back(record.error().message);
    }
  }
  HONE_TRY(const auto checkpoints, m_impl->journal.checkpoints());
  std::set<std::string> known;
  for (const JournalCheckpoint& row : checkpoints) {
    known.insert(row.id);
    if (const auto checkpoint = m_impl->read(row.id); !checkpoint) {
      findings.push_back(checkpoint.error().message);
    }
  }
  if (!m_impl->lock) { // another Hone may be about to take up what it has just made
    return findings;
  }
  HONE_TRY(const auto kept, m_impl->repository.checkpoint_ids());
  for (const std::string& id : kept) {
    if (!known.contains(id)) {
      findings.push_back(fmt::format("repo.git: commit {} could not be taken up as a checkpoint", id));
    }
  }
  return findings;
}

} // namespace hone::store
