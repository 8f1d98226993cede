// How libraries that a kernel is compared with are called for people.
#pragma once

#include "util/fs.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace hone::app {

using LibraryVersions = std::map<std::string, std::string>; // by the baseline's name: "openblas" -> "0.3.21"

// From the names of the files that the loader takes, links followed: libopenblasp-r0.3.21.so, libdnnl.so.2.6. Those
// that do not say it are left out. Without folders: those of the loader, what else a person installed, and what
// libraries say themselves.
LibraryVersions library_versions();
LibraryVersions library_versions(std::span<const fs::path> folders);

// "OpenBLAS 0.3.21, SkylakeX"; without a version "OpenBLAS, SkylakeX".
std::string library_text(const std::string& name, const std::string& setting, const LibraryVersions& versions);
// The same in few columns: "openblas SkylakeX".
std::string short_library_text(std::string_view name_and_setting);

} // namespace hone::app
