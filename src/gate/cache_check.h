// The files that the gate keeps between runs: whether each is still what its name says.
#pragma once

#include "util/finding.h"
#include "util/fs.h"

namespace hone::gate {

struct CacheCheck {
  std::size_t files = 0; // looked at
  Findings findings;
};

// References, modules, ceilings and dead temporaries under a cache folder (cache_folder()). All of it is made again
// when it is needed, so that `repair` removes what is damaged. No Error: a folder that is not there holds nothing.
CacheCheck check_cache(const fs::path& folder, bool repair);

} // namespace hone::gate
