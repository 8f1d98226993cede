// Finds damaged files of a repository and moves them aside without losing anything. Reads files only, so that it works
// if libgit2 cannot open the repository. (internal to the workflow room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <string>
#include <vector>

namespace hone::store {

struct DamagedFile {
  fs::path file;
  std::string cause;
};

// What a killed writer leaves behind: *.lock beside refs and settings, tmp_* among objects. Call it under the
// workflow's lock: then there is no other writer, and all of them are stale.
std::vector<fs::path> repository_leftovers(const fs::path& repository);

// Loose objects that cannot be read, or whose bytes are not what their name says.
Result<std::vector<DamagedFile>> damaged_objects(const fs::path& repository);
// Files under refs/ that name no object, or one that is not there.
Result<std::vector<DamagedFile>> damaged_references(const fs::path& repository);

// repo.git/objects/ab/cdef -> damaged/objects/abcdef beside repo.git; returns the new place.
Result<fs::path> set_aside(const fs::path& repository, const fs::path& file);
// So that what they held can be written again; returns how many.
Result<std::size_t> set_damaged_objects_aside(const fs::path& repository);

// HEAD and config as a new repository has them, where they are missing or empty: both say the same in every workflow.
Result<void> restore_frame(const fs::path& repository);

} // namespace hone::store
