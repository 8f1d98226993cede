// Reads a C or C++ file with libclang. (internal to the room)
#pragma once

#include "import/c_syntax.h"
#include "util/fs.h"

namespace hone::import {

// `flags`: -I, -D and the like. The error is the front end's first one, with its place.
Result<CFile> parse_c_file(const fs::path& path, const std::vector<std::string>& flags);
// The same for text that is not in a file; the name decides between C and C++.
Result<CFile> parse_c_text(const std::string& name, const std::string& text, const std::vector<std::string>& flags);

} // namespace hone::import
