// Answers as a JSON object, which servers of models hold to a schema. (internal to the engine room)
#pragma once

#include "rewrite/model/answer.h"

namespace hone::rewrite {

// JSON Schema: {"remarks": ..., "files": [{"name": ..., "text": ..., "edits": [{"search": ..., "replace": ...}]}]}. A
// file has a text or edits, or stays as it is. Within what every server's strict mode knows: all members required, no
// others.
std::string answer_schema(const std::map<std::string, std::string>& files);

bool is_answer_object(std::string_view answer); // or is meant to be one
Result<AnswerChanges> changes_in_object(std::string_view answer, const std::map<std::string, std::string>& files);

} // namespace hone::rewrite
