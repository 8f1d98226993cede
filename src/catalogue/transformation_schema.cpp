#include "catalogue/head_words.h"
#include "catalogue/schema.h"

#include <map>

namespace hone::catalogue {

namespace {

Json filled_text(std::string_view description)
{
  Json schema = text_schema(description);
  schema["pattern"] = "\\S";
  return schema;
}

Json named(std::string_view description, const char* pattern)
{
  Json schema = text_schema(description);
  schema["pattern"] = pattern;
  return schema;
}

Json words_list(std::string_view description, const std::vector<std::string>& words)
{
  return list_schema(description, words_schema("one of", words));
}

Json parameters_schema()
{
  Json values = list_schema("sensible values", integer_schema("a value", 0), 1);
  values["uniqueItems"] = true;
  const Json parameter = object_schema("a tuning parameter that the step introduces",
                                       {{"name", named("the macro", "^[A-Z][A-Z0-9_]*$"), true},
                                        {"values", values, true},
                                        {"meaning", filled_text("what it says, in words"), true}});
  return list_schema("tuning parameters that the step introduces", parameter);
}

Json passes_schema()
{
  const Json pass = object_schema("one edit of one region; its instruction is the section '## Pass: NAME'",
                                  {{"name", filled_text("the name in the section's title"), true},
                                   {"region", words_schema("what is edited", names_of(k_regions)), true}});
  return list_schema("edits, in this order", pass, 1);
}

std::map<std::string, SchemaMember> described_members()
{
  const Json step{{"type", "string"}};
  return {
    {"name", {"name", named("the same as the file's name", "^[a-z][a-z0-9-]*$"), true}},
    {"intent", {"intent", filled_text("one sentence: what changes, and what for"), true}},
    {"bottleneck", {"bottleneck", filled_text("what the step relieves"), true}},
    {"speed", {"speed", words_schema("when it pays", names_of(k_speeds)), true}},
    {"classes", {"classes", words_list("kinds of kernels; left out: all", names_of(k_classes))}},
    {"types", {"types", words_list("element types of all tensors; left out: all", names_of(k_types))}},
    {"backends", {"backends", words_list("left out: all", k_backend_names)}},
    {"after", {"after", list_schema("transformations that must have been carried out before", step)}},
    {"conflicts", {"conflicts", list_schema("transformations that must not have been", step)}},
    {"passes", {"passes", passes_schema(), true}},
    {"parameters", {"parameters", parameters_schema()}},
  };
}

} // namespace

Json transformation_head_schema()
{
  const auto described = described_members();
  std::vector<SchemaMember> members;
  for (const std::string& key : k_head_keys) {
    members.push_back(described.at(key));
  }
  return file_schema("the head of a transformation", object_schema("one optimisation step", members));
}

} // namespace hone::catalogue
