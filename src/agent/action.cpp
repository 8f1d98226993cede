#include "agent/action.h"

#include "agent/loose_json.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::agent {
namespace {

const char* schema_type(ActionType type)
{
  switch (type) {
  case ActionType::integer:
    return "integer";
  case ActionType::object:
    return "object";
  case ActionType::text:
    break;
  }
  return "string";
}

bool has_type(const Json& value, ActionType type)
{
  switch (type) {
  case ActionType::integer:
    return value.is_number_integer();
  case ActionType::object:
    return value.is_object();
  case ActionType::text:
    break;
  }
  return value.is_string();
}

std::vector<std::string> argument_names(const Action& action)
{
  std::vector<std::string> names;
  std::ranges::transform(action.arguments, std::back_inserter(names), &ActionArgument::name);
  return names;
}

Result<void> check(const Action& action, const ActionArgument& argument, const Json& value)
{
  if (!has_type(value, argument.type)) {
    return fail(fmt::format("'{}' of {} must be of type {}, not {}", argument.name, action.name,
                            schema_type(argument.type), value.type_name()));
  }
  if (!argument.choices.empty()
      && std::ranges::find(argument.choices, value.get_ref<const std::string&>()) == argument.choices.end()) {
    return fail(fmt::format("'{}' of {} cannot be '{}': it is one of {}", argument.name, action.name,
                            value.get<std::string>(), join(argument.choices, ", ")));
  }
  return {};
}

} // namespace

Json arguments_schema(const Action& action)
{
  Json properties = Json::object(), required = Json::array();
  for (const ActionArgument& argument : action.arguments) {
    Json property{{"type", schema_type(argument.type)}, {"description", argument.meaning}};
    if (!argument.choices.empty()) {
      property["enum"] = argument.choices;
    }
    properties[argument.name] = std::move(property);
    if (argument.required) {
      required.push_back(argument.name);
    }
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

llm::ModelTool tool_of(const Action& action)
{
  return {action.name, action.about, arguments_schema(action).dump()};
}

Result<Json> read_arguments(const Action& action, const std::string& arguments)
{
  const Json given = trim(arguments).empty() ? Json::object() : loose_json(arguments);
  if (!given.is_object()) {
    return fail(
      fmt::format("the arguments of {} are not a JSON object: {}", action.name,
                  Json::accept(arguments) ? "write {\"name\": value}" : "quotes, commas or braces are missing"));
  }
  for (const auto& [name, value] : given.items()) {
    const auto argument = std::ranges::find(action.arguments, name, &ActionArgument::name);
    if (argument == action.arguments.end()) {
      return fail(fmt::format("{} has no argument '{}'; {}", action.name, name,
                              did_you_mean(name, argument_names(action), "its description lists them")));
    }
    HONE_CHECK(check(action, *argument, value));
  }
  for (const ActionArgument& argument : action.arguments) {
    if (argument.required && !given.contains(argument.name)) {
      return fail(fmt::format("{} needs the argument '{}': {}", action.name, argument.name, argument.meaning));
    }
  }
  return given;
}

} // namespace hone::agent
