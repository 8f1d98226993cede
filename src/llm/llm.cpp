#include "llm/llm.h"

#include "llm/message_json.h"
#include "util/hash.h"
#include "util/json.h"

namespace hone::llm {

std::string_view name_of(ModelMessage::Role role)
{
  switch (role) {
  case ModelMessage::Role::assistant:
    return "assistant";
  case ModelMessage::Role::tool:
    return "tool";
  case ModelMessage::Role::user:
    break;
  }
  return "user";
}

std::string ModelRequest::hash() const
{
  Json said = Json::array();
  for (const ModelMessage& message : messages) {
    Json one{name_of(message.role), message.text};
    if (!message.calls.empty() || !message.call.empty()) { // answers were kept before there were calls
      one.push_back(message.call);
      one.push_back(to_json(message.calls));
    }
    said.push_back(std::move(one));
  }
  Json all{{"model", model}, {"system", system},           {"messages", said},
           {"stop", stop},   {"most_tokens", most_tokens}, {"sample", sample}};
  if (temperature) {
    all["temperature"] = *temperature;
  }
  if (!schema.empty()) {
    all["schema"] = schema;
  }
  if (seed) {
    all["seed"] = *seed;
  }
  for (const ModelTool& tool : tools) {
    all["tools"].push_back(to_json(tool));
  }
  return sha256(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::int64_t estimate_tokens(std::string_view text)
{
  constexpr std::size_t k_characters = 4;
  return static_cast<std::int64_t>((text.size() + k_characters - 1) / k_characters);
}

std::int64_t estimate_prompt_tokens(const ModelRequest& request)
{
  std::int64_t tokens = estimate_tokens(request.system);
  for (const ModelMessage& message : request.messages) {
    tokens += estimate_tokens(message.text);
    for (const ToolCall& call : message.calls) {
      tokens += estimate_tokens(call.name) + estimate_tokens(call.arguments);
    }
  }
  for (const ModelTool& tool : request.tools) {
    tokens += estimate_tokens(tool.name) + estimate_tokens(tool.description) + estimate_tokens(tool.parameters);
  }
  return tokens;
}

} // namespace hone::llm
