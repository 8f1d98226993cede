#include "schema_checker.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>

namespace hone::app {

namespace {

using Complaints = std::vector<std::string>;
using Keyword = std::function<void(const Json& schema, const Json& value, const std::string& place, Complaints& out)>;

bool is_of_type(const std::string& type, const Json& value)
{
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array())
         || (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer())
         || (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean())
         || (type == "null" && value.is_null());
}

void check_type(const Json& schema, const Json& value, const std::string& place, Complaints& out)
{
  const Json& wanted = schema.at("type");
  const Json list = wanted.is_array() ? wanted : Json::array({wanted});
  if (std::ranges::none_of(list, [&](const Json& type) { return is_of_type(type.get<std::string>(), value); })) {
    out.push_back(place + ": is not of type " + wanted.dump());
  }
}

const Json* schema_of_member(const Json& schema, const std::string& name)
{
  if (schema.contains("properties") && schema.at("properties").contains(name)) {
    return &schema.at("properties").at(name);
  }
  if (schema.contains("patternProperties")) {
    for (const auto& [pattern, each] : schema.at("patternProperties").items()) {
      if (std::regex_search(name, std::regex(pattern))) {
        return &each;
      }
    }
  }
  return nullptr;
}

void check_members(const Json& schema, const Json& value, const std::string& place, Complaints& out)
{
  if (!value.is_object()) {
    return;
  }
  for (const auto& [name, member] : value.items()) {
    if (const Json* each = schema_of_member(schema, name)) {
      std::ranges::move(complaints(*each, member, place + "/" + name), std::back_inserter(out));
    } else if (schema.contains("additionalProperties")) {
      out.push_back(place + "/" + name + ": unknown");
    }
  }
}

void check_required(const Json& names, const Json& value, const std::string& place, Complaints& out)
{
  for (const Json& name : names) {
    if (value.is_object() && !value.contains(name.get<std::string>())) {
      out.push_back(place + ": has no " + name.get<std::string>());
    }
  }
}

std::size_t matching(const Json& list, const Json& value)
{
  return static_cast<std::size_t>(
    std::ranges::count_if(list, [&](const Json& one) { return complaints(one, value).empty(); }));
}

bool has_twins(const Json& list)
{
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::find(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end(), list[i]) != list.end()) {
      return true;
    }
  }
  return false;
}

// A keyword that demands something of one kind of value: `fails` says whether the value breaks it.
Keyword demand(const char* name, bool (*applies)(const Json&), bool (*fails)(const Json& limit, const Json& value))
{
  return [=](const Json& schema, const Json& value, const std::string& place, Complaints& out) {
    if (applies(value) && fails(schema.at(name), value)) {
      out.push_back(place + ": " + name + " " + schema.at(name).dump());
    }
  };
}

bool is_array(const Json& value)
{
  return value.is_array();
}
bool is_number(const Json& value)
{
  return value.is_number();
}
bool is_text(const Json& value)
{
  return value.is_string();
}
bool is_anything(const Json&)
{
  return true;
}

void annotation(const Json&, const Json&, const std::string&, Complaints&) {}

const std::map<std::string, Keyword>& keywords()
{
  static const std::map<std::string, Keyword> all{
    {"$schema", annotation},
    {"title", annotation},
    {"description", annotation},
    {"default", annotation},
    {"type", check_type},
    {"properties", check_members},
    {"patternProperties",
     [](const Json& schema, const Json& value, const std::string& place, Complaints& out) {
       if (!schema.contains("properties")) {
         check_members(schema, value, place, out);
       }
     }},
    {"additionalProperties", annotation}, // looked at beside the members
    {"required", [](const Json& schema, const Json& value, const std::string& place,
                    Complaints& out) { check_required(schema.at("required"), value, place, out); }},
    {"dependentRequired",
     [](const Json& schema, const Json& value, const std::string& place, Complaints& out) {
       for (const auto& [name, needed] : schema.at("dependentRequired").items()) {
         if (value.is_object() && value.contains(name)) {
           check_required(needed, value, place, out);
         }
       }
     }},
    {"items",
     [](const Json& schema, const Json& value, const std::string& place, Complaints& out) {
       for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
         std::ranges::move(complaints(schema.at("items"), value[i], place + "/" + std::to_string(i)),
                           std::back_inserter(out));
       }
     }},
    {"enum", demand("enum", is_anything,
                    [](const Json& words, const Json& value) {
                      return std::find(words.begin(), words.end(), value) == words.end();
                    })},
    {"oneOf", demand("oneOf", is_anything, [](const Json& l, const Json& v) { return matching(l, v) != 1; })},
    {"anyOf", demand("anyOf", is_anything, [](const Json& l, const Json& v) { return matching(l, v) == 0; })},
    {"minItems", demand("minItems", is_array, [](const Json& l, const Json& v) { return v.size() < l; })},
    {"maxItems", demand("maxItems", is_array, [](const Json& l, const Json& v) { return v.size() > l; })},
    {"uniqueItems", demand("uniqueItems", is_array, [](const Json&, const Json& v) { return has_twins(v); })},
    {"minimum", demand("minimum", is_number, [](const Json& l, const Json& v) { return v < l; })},
    {"maximum", demand("maximum", is_number, [](const Json& l, const Json& v) { return v > l; })},
    {"pattern", demand("pattern", is_text,
                       [](const Json& pattern, const Json& value) {
                         return !std::regex_search(value.get<std::string>(), std::regex(pattern.get<std::string>()));
                       })},
  };
  return all;
}

} // namespace

Json json_of(const toml::node& node)
{
  if (const toml::table* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      object[std::string(key.str())] = json_of(value);
    }
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& entry : *array) {
      list.push_back(json_of(entry));
    }
    return list;
  }
  if (const auto text = node.value_exact<std::string>()) {
    return *text;
  }
  if (const auto number = node.value_exact<std::int64_t>()) {
    return *number;
  }
  if (const auto truth = node.value_exact<bool>()) {
    return *truth;
  }
  const auto real = node.value<double>();
  return real && std::isfinite(*real) ? Json(*real) : Json(nullptr);
}

std::vector<std::string> complaints(const Json& schema, const Json& value, const std::string& place)
{
  Complaints out;
  for (const auto& [name, unused] : schema.items()) {
    const auto keyword = keywords().find(name);
    if (keyword == keywords().end()) {
      out.push_back(place + ": the schema's keyword '" + name + "' is not known here");
    } else {
      keyword->second(schema, value, place, out);
    }
  }
  return out;
}

} // namespace hone::app
