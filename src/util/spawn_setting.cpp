#include "util/spawn_setting.h"

namespace hone {

SpawnSetting::SpawnSetting(const sigset_t& by_default)
{
  posix_spawn_file_actions_init(&m_files);
  posix_spawnattr_init(&m_attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&m_attributes, &none);
  posix_spawnattr_setsigdefault(&m_attributes, &by_default);
  posix_spawnattr_setpgroup(&m_attributes, 0);
  posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

SpawnSetting::~SpawnSetting()
{
  posix_spawn_file_actions_destroy(&m_files);
  posix_spawnattr_destroy(&m_attributes);
}

} // namespace hone
