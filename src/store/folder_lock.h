// One Hone per workflow: a lock that cannot outlive its holder. (internal to the workflow room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <chrono>
#include <functional>

namespace hone::store {

inline constexpr std::chrono::milliseconds k_patience{1000}; // to wait for the holder of a workflow's lock

// A POSIX record lock on a small file that names the holder's process for people. The kernel drops the lock when the
// process ends, however it ends, and children do not inherit it; so a leftover file of a dead process means nothing.
class FolderLock {
public:
  // Waits up to `patience`, then for as long as `waiting` returns true; it is called repeatedly with the holder's
  // process. The error names that process.
  using Waiting = std::function<bool(const std::string& holder)>;
  static Result<FolderLock> acquire(const fs::path& file, std::chrono::milliseconds patience,
                                    const Waiting& waiting = {});
  FolderLock(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  ~FolderLock();

private:
  FolderLock(fs::path file, int descriptor) : m_file(std::move(file)), m_descriptor(descriptor) {}
  fs::path m_file;
  int m_descriptor = -1;
};

} // namespace hone::store
