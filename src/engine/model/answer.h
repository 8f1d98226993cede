// What an answer changes: whole files, or exact edits of them, applied strictly. (internal to the engine room)
#pragma once

#include "util/result.h"

#include <map>
#include <string>
#include <string_view>

namespace hone {

// `files`: texts by name; `expected`: the one that a block belongs to which names none. The changed texts; an error
// says what is wrong in words that whoever answered can act on. A file is
//
//   a fenced block with the file's name behind the fence's language ("```cpp device.cpp"), holding all of it, or
//   edits, each "<<<<<<< SEARCH" lines "=======" lines ">>>>>>> REPLACE", where the first lines stand exactly once.
//
// Prose around is left alone; of whole files only one block per file may come.
Result<std::map<std::string, std::string>>
apply_answer(std::string_view answer, const std::map<std::string, std::string>& files, const std::string& expected);

} // namespace hone
