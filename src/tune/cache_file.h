// Stored spaces as files in the cache format of Kernel Tuner (https://github.com/KernelTuner/kernel_tuner), which its
// simulation mode reads: times in milliseconds, one line per point. What that format has no word for stands in the
// member "hone" of the file and in "status" and "ratios" of a point; other readers pass over it.
#pragma once

#include "tune/stored_space.h"
#include "util/fs.h"

namespace hone::tune {

std::string to_cache_text(const StoredSpace& space);
// Reads what to_cache_text wrote. `origin` names the text in errors.
Result<StoredSpace> space_from_cache_text(std::string_view text, const std::string& origin);

Result<void> write_cache_file(const StoredSpace& space, const fs::path& path);
Result<StoredSpace> read_cache_file(const fs::path& path);

} // namespace hone::tune
