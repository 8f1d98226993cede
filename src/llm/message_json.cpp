#include "llm/message_json.h"

#include <fmt/format.h>

#include <array>

namespace hone::llm {
namespace {

using Role = ModelMessage::Role;
constexpr std::array k_roles{Role::user, Role::assistant, Role::tool};

Role role_named(const std::string& name)
{
  for (const Role role : k_roles) {
    if (name_of(role) == name) {
      return role;
    }
  }
  return Role::user;
}

} // namespace

Json to_json(const std::vector<ToolCall>& calls)
{
  Json list = Json::array();
  for (const ToolCall& call : calls) {
    list.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  return list;
}

std::vector<ToolCall> calls_from(const Json& json)
{
  std::vector<ToolCall> calls;
  for (const Json& call : json) {
    calls.push_back(
      {call.at("id").get<std::string>(), call.at("name").get<std::string>(), call.at("arguments").get<std::string>()});
  }
  return calls;
}

Json to_json(const ModelMessage& message)
{
  Json json{{"role", name_of(message.role)}, {"text", message.text}};
  if (!message.calls.empty()) {
    json["calls"] = to_json(message.calls);
  }
  if (!message.call.empty()) {
    json["call"] = message.call;
  }
  return json;
}

Result<ModelMessage> message_from(const Json& json)
{
  try {
    ModelMessage message{role_named(json.at("role").get<std::string>()), json.at("text").get<std::string>()};
    if (json.contains("calls")) {
      message.calls = calls_from(json["calls"]);
    }
    message.call = json.value("call", "");
    return message;
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no message of a conversation: {}", error.what()));
  }
}

Json to_json(const ModelTool& tool)
{
  return {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}};
}

Result<ModelTool> tool_from(const Json& json)
{
  try {
    return ModelTool{json.at("name").get<std::string>(), json.at("description").get<std::string>(),
                     json.at("parameters").get<std::string>()};
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no description of a tool: {}", error.what()));
  }
}

} // namespace hone::llm
