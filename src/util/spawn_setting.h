// How a program begins that posix_spawn starts: in a process group of its own, with no signal blocked.
#pragma once

#include <csignal>
#include <spawn.h>

namespace hone {

class SpawnSetting {
public:
  // `by_default`: signals that are handled in it as in programs that begin, whoever ignores them here.
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
