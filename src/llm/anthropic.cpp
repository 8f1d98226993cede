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
              {"messages", messages_of(request)},
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
    if (!request.schema.empty() && m_tools) { // the one tool there is, which must be called: its input is the answer
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
    } else if (type == "content_block_delta" && data.contains("delta")) {
      reading.text += string_at(data["delta"], "text");
      reading.text += reading.tool_offered ? string_at(data["delta"], "partial_json") : "";
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
        reading.text += string_at(block, "type") == "text" ? string_at(block, "text") : "";
        reading.text +=
          reading.tool_offered && block.is_object() && block.contains("input") ? block["input"].dump() : "";
      }
    }
    take_end(string_at(answer, "stop_reason"), reading);
  }

  bool adapt(const std::string& complaint) override
  {
    if (complaint.find("temperature") != std::string::npos) {
      return std::exchange(m_temperature, false);
    }
    return complaint.find("tool") != std::string::npos && std::exchange(m_tools, false);
  }

private:
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
      reading.end = reading.text.empty() ? StreamedAnswer::End::wants_tool : StreamedAnswer::End::complete;
    } else if (!reason.empty()) { // end_turn, stop_sequence
      reading.end = StreamedAnswer::End::complete;
    }
  }

  bool m_temperature = true;
  bool m_tools = true;
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_anthropic(const ModelSetting& setting, const ModelServices& world)
{
  return std::make_unique<ServerProvider>(std::make_unique<Messages>(), setting, world);
}

} // namespace hone::llm
