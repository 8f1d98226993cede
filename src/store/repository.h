// The bare git repository of a workflow: commits, the refs that keep them alive, diffs. Knows nothing of records.
// (internal to the workflow room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hone::store {

using FileMap = std::map<std::string, std::string>; // path with at most one slash -> bytes

struct Commit {
  std::string id;
  std::string parent; // "" for a root
  std::string message;
  std::int64_t time = 0; // seconds since the epoch
  FileMap files;
};

class Repository {
public:
  // Opens or creates; what a killed process left half done (lock files, temporary objects, a half-made repository)
  // is cleared away, so call it under the workflow's lock.
  static Result<Repository> open(const fs::path& path);
  // As it is: makes nothing and clears nothing, since another process may be writing to it.
  static Result<Repository> open_existing(const fs::path& path);

  // Objects first, flushed to disk and read back; then refs/checkpoints/<id>, then refs/heads/main. Returns the id.
  // `time`: seconds since the epoch, for people; no order depends on it.
  Result<std::string> commit(const FileMap& files, const std::string& message, const std::string& parent,
                             std::int64_t time = std::time(nullptr));
  Result<Commit> read(const std::string& id) const;
  // Ids of all commits with a ref below refs/checkpoints, in no particular order.
  Result<std::vector<std::string>> checkpoint_ids() const;
  // Writes the ref that keeps a checkpoint, also if the ref is damaged; or moves it to refs/damaged/<id>, if it exists.
  Result<void> write_checkpoint_ref(const std::string& id);
  Result<void> mark_damaged(const std::string& id);
  Result<void> set_branch(const std::string& branch, const std::string& id);
  Result<void> delete_branch(const std::string& branch); // not an error if there is none
  // Unified diff of one folder between two commits; paths are relative to it.
  Result<std::string> diff(const std::string& from, const std::string& to, const std::string& folder) const;

  const fs::path& path() const { return m_path; }

private:
  struct Opened;
  Repository(fs::path path, std::shared_ptr<Opened> opened) : m_path(std::move(path)), m_opened(std::move(opened)) {}
  fs::path m_path;
  std::shared_ptr<Opened> m_opened;
};

} // namespace hone::store
