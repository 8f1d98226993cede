// Libraries that a person put beside those of the system: newer versions, and some that Debian does not have. A list in
// their folder names them; bench/rivals/newest.sh writes it.
#pragma once

#include "util/fs.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

struct InstalledLibrary {
  std::string name;    // "openblas-newest"
  std::string version; // "0.3.34"
  fs::path file;
};

// HONE_RIVALS, or `rivals` in the cache folder.
fs::path installed_libraries_folder();

// From `libraries.txt` in the folder: a line "NAME VERSION FILE" for each, FILE relative to the folder. Lines whose
// file is missing are left out.
std::vector<InstalledLibrary> installed_libraries(const fs::path& folder);
const std::vector<InstalledLibrary>& installed_libraries(); // of the folder above, read once

} // namespace hone::backend
