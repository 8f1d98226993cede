#include "serve/arguments.h"

#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace hone::serve {

namespace {

constexpr int k_longest_wait_s = 25;

Result<void> wrong(const std::string& place, const std::string& message, const std::string& hint = {})
{
  return fail(fmt::format("{} {}", place, message), hint, Place{place, 0, 0});
}

bool is_of_type(const Json& value, std::string_view type)
{
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array())
         || (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean())
         || (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
}

Result<void> check_members(const Json& schema, const Json& object, const std::string& place)
{
  const Json none = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : none;
  for (const Json& name : schema.value("required", Json::array())) {
    if (!object.contains(name.get<std::string>())) {
      return wrong(place, fmt::format("lacks '{}'", name.get<std::string>()),
                   properties[name.get<std::string>()].value("description", ""));
    }
  }
  for (const auto& [name, value] : object.items()) {
    if (properties.contains(name)) {
      HONE_CHECK(check_arguments(properties[name], value, place + "." + name));
      continue;
    }
    bool matched = false;
    const Json patterns = schema.value("patternProperties", none);
    for (const auto& [pattern, each] : patterns.items()) {
      if (std::regex_search(name, std::regex(pattern))) {
        matched = true;
        HONE_CHECK(check_arguments(each, value, place + "." + name));
      }
    }
    if (!matched && schema.contains("additionalProperties") && schema["additionalProperties"] == false) {
      std::vector<std::string> names;
      for (const auto& [known, ignored] : properties.items()) {
        names.push_back(known);
      }
      return wrong(place, fmt::format("knows no '{}'", printable(name.substr(0, 64))),
                   did_you_mean(name.substr(0, 64), names, names.empty() ? "" : "there are " + join(names, ", ")));
    }
  }
  return {};
}

Result<void> check_choice(const Json& schema, const Json& value, const std::string& place)
{
  if (!schema.contains("enum") || std::ranges::find(schema["enum"], value) != schema["enum"].end()) {
    return {};
  }
  return wrong(place, "is not one of its values", "it is one of " + schema["enum"].dump());
}

} // namespace

Result<void> check_arguments(const Json& schema, const Json& value, const std::string& place)
{
  if (const std::string type = schema.value("type", ""); !type.empty() && !is_of_type(value, type)) {
    return wrong(place, fmt::format("must be of type {}", type), schema.value("description", ""));
  }
  HONE_CHECK(check_choice(schema, value, place));
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number < schema.value("minimum", number) || number > schema.value("maximum", number)
        || (value.is_number_unsigned() && number < 0)) {
      return wrong(place, "is out of range", schema.value("description", ""));
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      HONE_CHECK(check_arguments(schema["items"], value[i], fmt::format("{}[{}]", place, i)));
    }
  }
  return value.is_object() ? check_members(schema, value, place) : Result<void>();
}

std::string text_in(const Json& arguments, std::string_view name, std::string otherwise)
{
  return arguments.value(std::string(name), std::move(otherwise));
}

std::int64_t integer_in(const Json& arguments, std::string_view name, std::int64_t otherwise)
{
  return arguments.value(std::string(name), otherwise);
}

bool flag_in(const Json& arguments, std::string_view name)
{
  return arguments.value(std::string(name), false);
}

std::vector<std::string> texts_in(const Json& arguments, std::string_view name)
{
  return arguments.value(std::string(name), std::vector<std::string>());
}

std::vector<std::string> sizes_in(const Json& arguments)
{
  std::vector<std::string> items;
  const Json sizes = arguments.value("sizes", Json::object());
  for (const auto& [name, value] : sizes.items()) {
    items.push_back(fmt::format("{}={}", name, value.get<std::int64_t>()));
  }
  return items;
}

Json flag_schema(std::string_view description)
{
  return {{"description", description}, {"type", "boolean"}};
}

Json bounded_schema(std::string_view description, std::int64_t least, std::int64_t most)
{
  Json schema = integer_schema(description, least);
  schema["maximum"] = most;
  return schema;
}

Json any_object_schema(std::string_view description)
{
  return {{"description", description}, {"type", "object"}};
}

std::vector<SchemaMember> kernel_members()
{
  const std::vector<std::string> backends{"cpu", "opencl", "hlsl", "cuda", "hip"};
  return {{"kernel", text_schema("A kernel, as list_kernels calls it."), true},
          {"backend", words_schema("What candidates are written for. Default: cpu.", backends)},
          {"sizes", named_schema("Sizes other than kernel.toml's: {\"m\": 512}.", "^[A-Za-z_][A-Za-z0-9_]*$",
                                 integer_schema("Elements.", 1))},
          {"threads", bounded_schema("Threads of a candidate, a CPU each. Default: 1.", 1, 1024)}};
}

SchemaMember wait_member()
{
  return {"wait_s", bounded_schema("Seconds to wait for the end, at most 25. After them the call returns a job to look "
                                   "at with the tool `job`. Default: 20.",
                                   0, k_longest_wait_s)};
}

Json output_schema(std::string_view description, const std::vector<SchemaMember>& members)
{
  Json schema = object_schema(description, members);
  schema.erase("additionalProperties");
  return schema;
}

} // namespace hone::serve
