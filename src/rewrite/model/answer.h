// What an answer changes: whole files, or exact edits of them, applied strictly. (internal to the engine room)
#pragma once

#include "util/result.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::rewrite {

struct Edit {
  std::vector<std::string> before, after; // lines; the first stand in the file exactly once
};

// By file; an answer may hold one of the two only.
struct AnswerChanges {
  std::map<std::string, std::vector<std::string>> whole;
  std::vector<std::pair<std::string, Edit>> edits;
};

// `files`: texts by name; `expected`: the one that is meant where an answer names none. Returns the changed texts. An
// error describes the fault to the model. Answers come in either form, whatever was asked for:
// "answer_blocks.h", "answer_object.h".
Result<std::map<std::string, std::string>>
apply_answer(std::string_view answer, const std::map<std::string, std::string>& files, const std::string& expected);

// Replaces the lines of an edit; `number` and `file` are for its errors.
Result<void> apply_edit(const Edit& edit, std::size_t number, const std::string& file, std::string& text);

std::string_view without_end(std::string_view line);      // without spaces, tabs and returns at its end
std::vector<std::string> lines_of(std::string_view text); // without such ends

} // namespace hone::rewrite
