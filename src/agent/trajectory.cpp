#include "agent/trajectory.h"

#include "agent/loose_json.h"

namespace hone::agent {
namespace {

using Role = llm::ModelMessage::Role;

Json call_json(const llm::ToolCall& call, TrajectoryForm form)
{
  Json arguments = call.arguments;
  if (form == TrajectoryForm::hf) {
    const Json object = loose_json(call.arguments);
    arguments = object.is_object() ? object : Json::object();
  }
  return {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", arguments}}}};
}

std::string name_of_call(const Episode& episode, std::size_t turn)
{
  const std::string& id = episode.turns[turn].message.call;
  for (std::size_t i = turn; i-- > 0;) {
    for (const llm::ToolCall& call : episode.turns[i].message.calls) {
      if (call.id == id) {
        return call.name;
      }
    }
  }
  return "";
}

} // namespace

std::string_view name_of(TrajectoryForm form)
{
  return form == TrajectoryForm::openai ? "openai" : "hf";
}

std::optional<TrajectoryForm> trajectory_form_named(std::string_view name)
{
  for (const TrajectoryForm form : {TrajectoryForm::openai, TrajectoryForm::hf}) {
    if (name_of(form) == name) {
      return form;
    }
  }
  return std::nullopt;
}

Json trajectory(const Transcript& transcript, TrajectoryForm form, std::optional<double> reward, const Json& metadata)
{
  const Episode& episode = transcript.episode;
  Json messages = Json::array(), mask = Json::array(), tools = Json::array();
  messages.push_back({{"role", "system"}, {"content", episode.system}});
  mask.push_back(0);
  for (std::size_t i = 0; i < episode.turns.size(); ++i) {
    const Turn& turn = episode.turns[i];
    Json message{{"role", llm::name_of(turn.message.role)}, {"content", turn.message.text}};
    if (!turn.reasoning.empty()) {
      message["reasoning_content"] = turn.reasoning;
    }
    for (const llm::ToolCall& call : turn.message.calls) {
      message["tool_calls"].push_back(call_json(call, form));
    }
    if (turn.message.role == Role::tool) {
      message["tool_call_id"] = turn.message.call;
      message["name"] = name_of_call(episode, i);
    }
    messages.push_back(std::move(message));
    mask.push_back(turn.message.role == Role::assistant ? 1 : 0);
  }
  for (const llm::ModelTool& tool : episode.tools) {
    const Json function{{"name", tool.name},
                        {"description", tool.description},
                        {"parameters", Json::parse(tool.parameters, nullptr, false)}};
    tools.push_back({{"type", "function"}, {"function", function}});
  }
  return {{"messages", std::move(messages)},
          {"tools", std::move(tools)},
          {"mask", std::move(mask)},
          {"reward", reward ? Json(*reward) : Json()},
          {"metadata", metadata}};
}

} // namespace hone::agent
