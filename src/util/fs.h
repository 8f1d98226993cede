// Files: whole reads, atomic writes, private temporary folders, and where Hone keeps things.
#pragma once

#include "util/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path);

// Writes beside the target, flushes to disk, then renames: a reader sees the old file or the new one.
// Errors name the path and the cause (no space left, read-only, ...).
Result<void> write_file(const fs::path& path, std::string_view bytes);

// A folder of our own under $TMPDIR (or /tmp), mode 0700, removed with all it holds at the end of the scope.
class TemporaryFolder {
public:
  static Result<TemporaryFolder> create(std::string_view prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  const fs::path& path() const { return m_path; }

private:
  TemporaryFolder(fs::path path, int descriptor) : m_path(std::move(path)), m_descriptor(descriptor) {}
  fs::path m_path;
  int m_descriptor = -1; // holds the lock that says that somebody uses it
};

// $XDG_CACHE_HOME/hone, $XDG_DATA_HOME/hone, $XDG_CONFIG_HOME/hone with the usual fall-backs under $HOME,
// and under the temporary folder where there is no $HOME.
fs::path cache_folder();
fs::path data_folder();
fs::path config_folder();

// Folder of the running executable's companions (runner programs, headers): found from /proc/self/exe so that
// an installed or moved tree works. $HONE_LIBEXEC overrides it.
fs::path libexec_folder();
// Folder of the shared libraries that a relocatable package carries; empty where there is none.
fs::path library_folder();
// Folder of data files shipped with Hone (transformations/, kernels/, recipes/): the source root in a checkout,
// <prefix>/share/hone when installed. $HONE_SHARE overrides it.
fs::path share_folder();

} // namespace hone
