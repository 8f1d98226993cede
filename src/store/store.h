// The graph of checkpoints of one kernel on one backend and device, and the journal of every job.
//
// On disk, under .hone/ beside the kernel (or --state DIR): <key>/repo.git, a bare git repository in which a
// checkpoint is a commit (the candidate's files and record.json); <key>/journal.db, an append-only SQLite journal of
// all records, the ledger of time per phase and the verdict cache. <key> is kernel hash, backend, device fingerprint.
// A checkpoint is visible in the journal only after its commit is on disk, so kill -9 loses at most the job in flight.
// "store/store_check.h" looks through all of it for damage and repairs what can be; "store/holder.h": who works.
#pragma once

#include "kernel/kernel.h"
#include "record/record.h"
#include "util/result.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::store {

struct Checkpoint {
  std::string id;             // git commit id, 40 hexadecimal digits
  std::string parent;         // id, or "" for the start
  std::string transformation; // what was done; "start" for the first
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  record::Record record;
};

// One step that was tried, successful or not, in order of time: what reports and `hone log` show.
struct Step {
  std::int64_t number = 0;
  record::Record record;
  std::string checkpoint; // id when it became one, else ""
};

// Wide because it is the only way into a store: steps, checkpoints, branches and notes.
class Workflow {
public:
  struct Key {
    std::string kernel_hash;
    std::string backend;
    std::string device_fingerprint;
  };
  // Called repeatedly while another Hone holds the lock, with the name of its process; false: give up.
  using Waiting = std::function<bool(const std::string& holder)>;
  // Opens or creates. Waits for another Hone that holds the lock up to a second, and then as long as `waiting` wants
  // to; the error says who holds it.
  static Result<Workflow> open(const fs::path& state, const kernel::Kernel& kernel, const Key& key,
                               const Waiting& waiting = {});
  // An existing one, read-only. Works while another Hone writes to it, on read-only file systems, and without a journal
  // (from the commits). Every function that would write returns an Error.
  static Result<Workflow> open_to_read(const fs::path& state, const kernel::Kernel& kernel, const Key& key);
  // The workflows found under a state folder, for verbs that need no gate.
  static Result<std::vector<Key>> list(const fs::path& state);
  Workflow(Workflow&&) noexcept;
  ~Workflow();

  // Journal first, then commit, then the journal's pointer: crash-safe in this order.
  Result<void> append(const record::Record& record);
  Result<Checkpoint> add_checkpoint(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                                    const record::Record& record, const std::string& parent);

  Result<std::vector<Checkpoint>> checkpoints() const;    // oldest first
  Result<Checkpoint> find(const std::string& name) const; // id, unique prefix, branch, "best", "start", "HEAD"
  Result<std::optional<Checkpoint>> best() const;         // as set by set_best; nothing where it is damaged
  Result<void> set_best(const std::string& id);
  // Names that people give to checkpoints, beside "best", "start" and "HEAD": name -> id.
  Result<std::map<std::string, std::string>> branches() const;
  Result<void> set_branch(const std::string& name, const std::string& id); // made or moved
  Result<void> delete_branch(const std::string& name);
  // Ids from the start of its path to this checkpoint.
  Result<std::vector<std::string>> path_to(const std::string& id) const;
  Result<std::vector<Step>> steps() const;
  Result<std::optional<record::Record>>
  cached(const record::Record& identity) const; // same result identity, for the verdict cache
  Result<std::string> diff(const std::string& from, const std::string& to) const; // unified, over candidate files

  // Small values that a policy needs to resume (JSON text by name).
  Result<void> remember(const std::string& name, const std::string& value);
  Result<std::string> recall(const std::string& name) const; // "" when absent

  Result<void> spend(const std::string& phase, double seconds);
  Result<std::map<std::string, double>> spent() const;

  const fs::path& folder() const;
  // Descriptions of damage: unreadable records, checkpoints without commit. Empty: sound.
  Result<std::vector<std::string>> check() const;

private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
  explicit Workflow(std::unique_ptr<Impl> impl);
};

} // namespace hone::store
