#include "engine/model/answer_object.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone {
namespace {

Json object_of(Json properties)
{
  Json names = Json::array();
  for (const auto& [name, schema] : properties.items()) {
    names.push_back(name);
  }
  return {
    {"type", "object"}, {"properties", std::move(properties)}, {"required", names}, {"additionalProperties", false}};
}

Json list_of(Json items)
{
  return {{"type", "array"}, {"items", std::move(items)}};
}

// Servers that cannot hold a model to the schema let anything through.
Result<std::string> text_at(const Json& holder, const char* name, std::string_view of)
{
  if (!holder.is_object() || !holder.contains(name) || !holder[name].is_string()) {
    return fail(fmt::format("{} of the answer has no text \"{}\"", of, name));
  }
  return holder[name].get<std::string>();
}

Result<void> take_file(const Json& entry, const std::map<std::string, std::string>& files, AnswerChanges& changes)
{
  HONE_TRY(const std::string name, text_at(entry, "name", "an entry"));
  if (!files.contains(name)) {
    return fail(fmt::format("the answer changes {}, which is no file of the candidate", name));
  }
  const std::string text = entry.value("text", Json()).is_string() ? entry["text"].get<std::string>() : "";
  const Json edits = entry.value("edits", Json::array());
  if (!edits.is_array() || (edits.empty() && trim(text).empty())) {
    return fail(fmt::format("the entry for {} has neither a text nor edits", name));
  }
  if (!edits.empty() && !trim(text).empty()) {
    return fail(fmt::format("the entry for {} has a text and edits: give one or the other", name));
  }
  if (edits.empty() && !changes.whole.emplace(name, lines_of(text)).second) {
    return fail(fmt::format("the answer has more than one entry for {}: give the whole file once", name));
  }
  for (const Json& edit : edits) {
    HONE_TRY(const std::string search, text_at(edit, "search", "an edit"));
    HONE_TRY(const std::string replace, text_at(edit, "replace", "an edit"));
    changes.edits.emplace_back(name, Edit{lines_of(search), lines_of(replace)});
  }
  return {};
}

} // namespace

std::string answer_schema(const std::map<std::string, std::string>& files)
{
  const Json text{{"type", "string"}};
  Json names = Json::array();
  for (const auto& [name, contents] : files) {
    names.push_back(name);
  }
  const Json edit = object_of({{"search", text}, {"replace", text}});
  const Json file =
    object_of({{"name", {{"type", "string"}, {"enum", names}}}, {"text", text}, {"edits", list_of(edit)}});
  return object_of({{"remarks", text}, {"files", list_of(file)}}).dump();
}

bool is_answer_object(std::string_view answer)
{
  return trim(answer).starts_with('{');
}

Result<AnswerChanges> changes_in_object(std::string_view answer, const std::map<std::string, std::string>& files)
{
  const Json object = Json::parse(answer, nullptr, false);
  if (!object.is_object()) {
    return fail("the answer begins like a JSON object and is none: it was cut off, or a quote or a backslash in a text "
                "is not escaped");
  }
  if (!object.contains("files") || !object["files"].is_array() || object["files"].empty()) {
    return fail("the answer's object has no list \"files\" with an entry for each file that changes");
  }
  AnswerChanges changes;
  for (const Json& entry : object["files"]) {
    HONE_CHECK(take_file(entry, files, changes));
  }
  return changes;
}

} // namespace hone
