#include "rewrite/model/answer_object.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::rewrite {
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
const Json* member(const Json& holder, const char* name)
{
  const auto found = holder.is_object() ? holder.find(name) : holder.end();
  return !holder.is_object() || found == holder.end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> text_at(const Json& holder, const char* name, std::string_view of)
{
  const Json* const text = member(holder, name);
  if (text == nullptr || !text->is_string()) {
    return fail(fmt::format("{} of the answer has no text \"{}\"", of, name));
  }
  return text->get<std::string>();
}

// With neither a text nor edits the file stays as it is.
Result<void> take_file(const Json& entry, const std::map<std::string, std::string>& files, AnswerChanges& changes)
{
  HONE_TRY(const std::string name, text_at(entry, "name", "an entry"));
  if (!files.contains(name)) {
    return fail(fmt::format("the answer changes {}, which is no file of the candidate", name));
  }
  const Json* const text = member(entry, "text");
  const Json* const edits = member(entry, "edits");
  if ((text != nullptr && !text->is_string()) || (edits != nullptr && !edits->is_array())) {
    return fail(fmt::format("the entry for {} has a \"text\" that is none, or \"edits\" that are no list", name));
  }
  const std::string whole = text != nullptr ? text->get<std::string>() : "";
  const bool has_edits = edits != nullptr && !edits->empty();
  if (has_edits && !trim(whole).empty()) {
    return fail(fmt::format("the entry for {} has a text and edits: give one or the other", name));
  }
  if (!trim(whole).empty() && !changes.whole.emplace(name, lines_of(whole)).second) {
    return fail(fmt::format("the answer has more than one entry for {}: give the whole file once", name));
  }
  for (const Json& edit : has_edits ? *edits : Json::array()) {
    HONE_TRY(const std::string search, text_at(edit, "search", "an edit"));
    HONE_TRY(const std::string replace, text_at(edit, "replace", "an edit"));
    changes.edits.emplace_back(name, Edit{lines_of(search), lines_of(replace)});
  }
  return {};
}

// From the first brace to the last: models put a fence around it, or a sentence before. What is nested deeper than any
// answer is left out: copies of it would go as deep.
Json object_in(std::string_view answer)
{
  constexpr int k_deepest = 6;
  const std::size_t begin = answer.find('{'), end = answer.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return Json();
  }
  const auto shallow = [](int depth, Json::parse_event_t, const Json&) { return depth <= k_deepest; };
  return Json::parse(answer.substr(begin, end + 1 - begin), shallow, false);
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
  return trim(answer).starts_with('{') || member(object_in(answer), "files") != nullptr;
}

Result<AnswerChanges> changes_in_object(std::string_view answer, const std::map<std::string, std::string>& files)
{
  const Json object = object_in(answer);
  if (!object.is_object()) {
    return fail("the answer begins like a JSON object and is none: it was cut off, or a quote or a backslash in a text "
                "is not escaped");
  }
  const Json* const entries = member(object, "files");
  if (entries == nullptr || !entries->is_array() || entries->empty()) {
    return fail("the answer's object has no list \"files\" with an entry for each file that changes");
  }
  AnswerChanges changes;
  for (const Json& entry : *entries) {
    HONE_CHECK(take_file(entry, files, changes));
  }
  return changes;
}

} // namespace hone::rewrite
