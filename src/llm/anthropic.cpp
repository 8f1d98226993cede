// Anthropic's Messages.
#include "llm/server.h"

namespace hone::llm {
namespace {

constexpr const char* k_version = "2023-06-01";
constexpr const char* k_answer = "answer"; // the tool's name

class Messages final : public Protocol {
public:
  std::string_view name() const override { return "anthropic"; }

  HttpRequest question(const ModelRequest& request, const ModelSetting& setting, const std::string& key) const override
  {
    Json body{{"model", request.model},
              {"max_tokens", request.most_tokens},
              {"messages", messages_json(request.messages)},
              {"stream", true}};
    if (!request.system.empty()) { // the same in many requests: what was seen before costs a tenth
      const Json cached{{"type", "ephemeral"}};
      body["system"] = Json::array({{{"type", "text"}, {"text", request.system}, {"cache_control", cached}}});
    }
    if (request.temperature && m_temperature) {
      body["temperature"] = *request.temperature;
    }
    if (!request.stop.empty()) {
      body["stop_sequences"] = request.stop;
    }
    for (const ModelTool& tool : request.tools) {
      body["tools"].push_back({{"name", tool.name},
                               {"description", tool.description},
                               {"input_schema", Json::parse(tool.parameters, nullptr, false)}});
    }
    if (!request.schema.empty() && m_schema) { // the one tool there is, which must be called: its input is the answer
      body["tools"] = Json::array({{{"name", k_answer},
                                    {"description", "Gives the answer."},
                                    {"input_schema", Json::parse(request.schema, nullptr, false)}}});
      body["tool_choice"] = {{"type", "tool"}, {"name", k_answer}, {"disable_parallel_tool_use", true}};
    }
    return posted(list(setting, key), url_below(setting.base_url, "/v1/messages"), body);
  }

  HttpRequest list(const ModelSetting& setting, const std::string& key) const override
  {
    HttpRequest list;
    list.method = "GET";
    list.url = url_below(setting.base_url, "/v1/models");
    list.silence = setting.silence;
    list.headers.emplace_back("anthropic-version", k_version);
    if (!key.empty()) {
      list.headers.emplace_back("x-api-key", key);
    }
    return list;
  }

  void take(const StreamedEvent& event, StreamedAnswer& reading) const override
  {
    const Json data = Json::parse(event.data, nullptr, false);
    if (!data.is_object()) {
      return broken_piece(reading);
    }
    const std::string type = string_at(data, "type");
    if (type == "message_start" && data.contains("message")) {
      reading.model = string_at(data["message"], "model");
      take_usage(data["message"], reading);
    } else if (type == "content_block_start" && data.contains("content_block")) {
      take_block(data["content_block"], reading);
    } else if (type == "content_block_delta" && data.contains("delta")) {
      reading.text += string_at(data["delta"], "text");
      reading.reasoning += string_at(data["delta"], "thinking");
      const std::string arguments = string_at(data["delta"], "partial_json");
      if (reading.schema_as_tool) {
        reading.text += arguments;
      } else if (!reading.calls.empty()) {
        reading.calls.back().arguments += arguments;
      }
    } else if (type == "message_delta") {
      take_usage(data, reading);
      take_end(data.contains("delta") ? string_at(data["delta"], "stop_reason") : "", reading);
    } else if (type == "message_stop") {
      reading.over = true;
    } else if (type == "error" && data.contains("error")) {
      const std::string kind = string_at(data["error"], "type");
      reading.error = kind + ": " + string_at(data["error"], "message");
      reading.error_passes =
        kind == "overloaded_error" || kind == "api_error" || kind == "rate_limit_error" || kind == "timeout_error";
    }
  }

  void take_whole(const Json& answer, StreamedAnswer& reading) const override
  {
    reading.model = string_at(answer, "model");
    take_usage(answer, reading);
    if (answer.contains("content") && answer["content"].is_array()) {
      for (const Json& block : answer["content"]) {
        take_block(block, reading);
        const std::string input = block.is_object() && block.contains("input") ? block["input"].dump() : "";
        if (reading.schema_as_tool) {
          reading.text += input;
        } else if (!input.empty() && !reading.calls.empty()) {
          reading.calls.back().arguments = input;
        }
      }
    }
    take_end(string_at(answer, "stop_reason"), reading);
  }

  bool adapt(const std::string& complaint) override
  {
    if (complaint.find("temperature") != std::string::npos) {
      return std::exchange(m_temperature, false);
    }
    return complaint.find("tool") != std::string::npos && std::exchange(m_schema, false);
  }

private:
  // Results of calls are the user's, and turns alternate: those of one answer stand in one message.
  static Json messages_json(const std::vector<ModelMessage>& messages)
  {
    Json list = Json::array();
    for (const ModelMessage& message : messages) {
      if (message.role == ModelMessage::Role::tool) {
        const Json result{{"type", "tool_result"}, {"tool_use_id", message.call}, {"content", message.text}};
        if (list.empty() || list.back()["role"] != "user" || !list.back()["content"].is_array()) {
          list.push_back({{"role", "user"}, {"content", Json::array()}});
        }
        list.back()["content"].push_back(result);
      } else if (message.calls.empty()) {
        list.push_back({{"role", name_of(message.role)}, {"content", message.text}});
      } else {
        list.push_back({{"role", "assistant"}, {"content", calls_json(message)}});
      }
    }
    return list;
  }

  static Json calls_json(const ModelMessage& message)
  {
    Json content = Json::array();
    if (!message.text.empty()) { // an empty text is refused
      content.push_back({{"type", "text"}, {"text", message.text}});
    }
    for (const ToolCall& call : message.calls) {
      Json input = Json::parse(call.arguments, nullptr, false);
      input = input.is_object() ? input : Json::object();
      content.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", input}});
    }
    return content;
  }

  // The beginning of a block, or all of it.
  static void take_block(const Json& block, StreamedAnswer& reading)
  {
    const std::string type = string_at(block, "type");
    reading.text += type == "text" ? string_at(block, "text") : "";
    reading.reasoning += type == "thinking" ? string_at(block, "thinking") : "";
    if (type == "tool_use" && !reading.schema_as_tool) {
      reading.calls.push_back({string_at(block, "id"), string_at(block, "name"), ""});
    }
  }

  // The prompt's count comes at the beginning, the answer's at the end.
  static void take_usage(const Json& holder, StreamedAnswer& reading)
  {
    if (!holder.contains("usage") || !holder["usage"].is_object()) {
      return;
    }
    const Json& usage = holder["usage"];
    ModelUsage& counted = reading.usage ? *reading.usage : reading.usage.emplace();
    if (usage.contains("input_tokens")) {
      counted.cached_tokens = integer_at(usage, "cache_read_input_tokens");
      counted.prompt_tokens =
        integer_at(usage, "input_tokens") + counted.cached_tokens + integer_at(usage, "cache_creation_input_tokens");
    }
    counted.answer_tokens = std::max(counted.answer_tokens, integer_at(usage, "output_tokens"));
  }

  static void take_end(const std::string& reason, StreamedAnswer& reading)
  {
    if (reason == "max_tokens" || reason == "model_context_window_exceeded") {
      reading.end = StreamedAnswer::End::cut_off;
    } else if (reason == "refusal") {
      reading.end = StreamedAnswer::End::refused;
    } else if (reason == "tool_use") {
      reading.end =
        reading.text.empty() && reading.calls.empty() ? StreamedAnswer::End::wants_tool : StreamedAnswer::End::complete;
    } else if (!reason.empty()) { // end_turn, stop_sequence
      reading.end = StreamedAnswer::End::complete;
    }
  }

  bool m_temperature = true;
  bool m_schema = true;
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_anthropic(const ModelSetting& setting, const ModelServices& world)
{
  return std::make_unique<ServerProvider>(std::make_unique<Messages>(), setting, world);
}

} // namespace hone::llm
