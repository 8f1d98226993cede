#include "llm/llm.h"

#include "util/hash.h"
#include "util/json.h"

namespace hone::llm {

std::string_view name_of(ModelMessage::Role role)
{
  return role == ModelMessage::Role::user ? "user" : "assistant";
}

std::string ModelRequest::hash() const
{
  Json said = Json::array();
  for (const ModelMessage& message : messages) {
    said.push_back({name_of(message.role), message.text});
  }
  Json all{{"model", model}, {"system", system},           {"messages", said},
           {"stop", stop},   {"most_tokens", most_tokens}, {"sample", sample}};
  if (temperature) {
    all["temperature"] = *temperature;
  }
  if (!schema.empty()) {
    all["schema"] = schema;
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
  }
  return tokens;
}

} // namespace hone::llm
