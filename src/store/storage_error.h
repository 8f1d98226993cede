// Errors of the disk, with hints on how to resolve them. (internal to the workflow room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <string>
#include <string_view>

namespace hone::store {

// "cannot WHAT PATH: CAUSE", with the way out that fits the cause (full disk, read-only folder, ...).
std::unexpected<Error> storage_failure(std::string_view what, const fs::path& path, std::string_view cause);

} // namespace hone::store
