#include "util/json_schema.h"

#include <utility>

namespace hone {

namespace {

constexpr const char* k_draft = "https://json-schema.org/draft/2020-12/schema";

Json typed(std::string_view type, std::string_view description)
{
  return Json{{"description", description}, {"type", type}};
}

} // namespace

Json text_schema(std::string_view description)
{
  return typed("string", description);
}

Json integer_schema(std::string_view description, std::int64_t minimum)
{
  Json schema = typed("integer", description);
  schema["minimum"] = minimum;
  return schema;
}

Json words_schema(std::string_view description, std::span<const std::string> words)
{
  Json schema{{"description", description}, {"enum", Json::array()}};
  for (const std::string& word : words) {
    schema["enum"].push_back(word);
  }
  return schema;
}

Json list_schema(std::string_view description, Json items, std::size_t fewest)
{
  Json schema = typed("array", description);
  schema["items"] = std::move(items);
  if (fewest > 0) {
    schema["minItems"] = fewest;
  }
  return schema;
}

Json object_schema(std::string_view description, const std::vector<SchemaMember>& members)
{
  Json schema = typed("object", description);
  schema["properties"] = Json::object();
  Json required = Json::array();
  for (const SchemaMember& member : members) {
    schema["properties"][member.name] = member.schema;
    if (member.required) {
      required.push_back(member.name);
    }
  }
  if (!required.empty()) {
    schema["required"] = required;
  }
  schema["additionalProperties"] = false;
  return schema;
}

Json named_schema(std::string_view description, const std::string& name_pattern, Json each)
{
  Json schema = typed("object", description);
  schema["patternProperties"] = Json{{name_pattern, std::move(each)}};
  schema["additionalProperties"] = false;
  return schema;
}

Json file_schema(std::string_view title, const Json& schema)
{
  Json file{{"$schema", k_draft}, {"title", title}};
  file.update(schema);
  return file;
}

} // namespace hone
