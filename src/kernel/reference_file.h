// Compiled references on disk: a shared library with a seal behind its last byte, which says what it was made from and
// what it must look like. A loader of libraries does not look that far; we do, before it is loaded: what was cut short
// or changed would at best crash, and at worst say that wrong results are right. (internal to the kernel room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <string>
#include <string_view>

namespace hone::kernel {

// CACHE/reference-<key>.so
fs::path reference_file(const fs::path& cache, std::string_view key);

std::string seal_reference(std::string library, std::string_view key);
// Fails where the bytes are not what was sealed, or were sealed for another key.
Result<void> check_seal(std::string_view sealed, std::string_view key);

} // namespace hone::kernel
