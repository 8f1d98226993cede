// What a person may call a kernel.
#pragma once

#include "util/fs.h"

#include <string>

namespace hone::app {

// A path as given where there is something; else the folder of the shipped kernel of that name, if there is one.
fs::path kernel_path(const std::string& given);

// The folder that a kernel's file lies in; a folder itself.
fs::path folder_of(const fs::path& path);

} // namespace hone::app
