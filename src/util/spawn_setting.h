// Attributes for posix_spawn: a process group of its own, no signal blocked.
#pragma once

#include <csignal>
#include <spawn.h>

namespace hone {

class SpawnSetting {
public:
  // `by_default`: signals that get their default action in the child, even if this process ignores them.
  explicit SpawnSetting(const sigset_t& by_default);
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;
  ~SpawnSetting();

  posix_spawn_file_actions_t* files() { return &m_files; } // none yet
  const posix_spawnattr_t* attributes() const { return &m_attributes; }

private:
  posix_spawn_file_actions_t m_files;
  posix_spawnattr_t m_attributes;
};

} // namespace hone
