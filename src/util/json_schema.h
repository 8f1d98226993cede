// The parts of JSON schema (draft 2020-12) in which Hone describes the files that people write.
#pragma once

#include "util/json.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// One member of an object: its name and what it may hold.
struct SchemaMember {
  std::string name;
  Json schema;
  bool required = false;
};

Json text_schema(std::string_view description);
Json integer_schema(std::string_view description, std::int64_t minimum);
Json words_schema(std::string_view description, std::span<const std::string> words); // one of a closed set
Json list_schema(std::string_view description, Json items, std::size_t fewest = 0);
// Exactly these members. An editor shows the description when the pointer rests on the name.
Json object_schema(std::string_view description, const std::vector<SchemaMember>& members);
// Members of any name that the regular expression matches, all of one kind.
Json named_schema(std::string_view description, const std::string& name_pattern, Json each);
// A whole file: the schema with its draft and title in front.
Json file_schema(std::string_view title, const Json& schema);

} // namespace hone
