// Answers in prose with fenced blocks. (internal to the engine room)
#pragma once

#include "rewrite/model/answer.h"

namespace hone::rewrite {

// A file is
//
//   a fenced block with the file's name behind the fence's language ("```cpp device.cpp"), holding all of it, or
//   edits, each "<<<<<<< SEARCH" lines "=======" lines ">>>>>>> REPLACE", or
//   a fenced block of the line "UNCHANGED": it stays as it is.
//
// A block that names no file is `expected`. Prose around is left alone; of whole files only one block per file may
// come.
Result<AnswerChanges> changes_in_blocks(std::string_view answer, const std::map<std::string, std::string>& files,
                                        const std::string& expected);

} // namespace hone::rewrite
