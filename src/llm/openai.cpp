// OpenAI's Chat Completions, which most servers of models speak: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, Azure.
#include "llm/server.h"
#include "util/text.h"

#include <algorithm>

namespace hone::llm {
namespace {

constexpr std::size_t k_most_calls = 64;        // in one answer
constexpr const char* k_schema_name = "answer"; // what a schema, or the tool in its place, is called

// What servers and models do not all know.
struct Optional {
  bool newer_limit = false; // max_completion_tokens, which replaced max_tokens and which reasoning models ask for
  bool temperature = true;
  bool seed = true;
  bool stop = true;
  bool usage_in_stream = true;
  enum class Schema { response_format, tool, nothing } schema = Schema::response_format;
};

class ChatCompletions final : public Protocol {
public:
  explicit ChatCompletions(std::string_view base_url)
  {
    m_optional.newer_limit = base_url.find("api.openai.com") != std::string_view::npos;
    m_azure = base_url.find(".azure.com") != std::string_view::npos;
  }

  std::string_view name() const override { return "openai"; }

  HttpRequest question(const ModelRequest& request, const ModelSetting& setting, const std::string& key) const override
  {
    Json messages = Json::array();
    if (!request.system.empty()) {
      messages.push_back({{"role", "system"}, {"content", request.system}});
    }
    for (const ModelMessage& message : request.messages) {
      messages.push_back(message_json(message));
    }
    Json body{{"model", request.model}, {"messages", messages}, {"stream", true}};
    body[m_optional.newer_limit ? "max_completion_tokens" : "max_tokens"] = request.most_tokens;
    if (m_optional.usage_in_stream) {
      body["stream_options"] = {{"include_usage", true}};
    }
    if (request.temperature && m_optional.temperature) {
      body["temperature"] = *request.temperature;
    }
    if (request.seed && m_optional.seed) {
      body["seed"] = *request.seed;
    }
    for (const ModelTool& tool : request.tools) {
      const Json function{{"name", tool.name},
                          {"description", tool.description},
                          {"parameters", Json::parse(tool.parameters, nullptr, false)}};
      body["tools"].push_back({{"type", "function"}, {"function", function}});
    }
    if (!request.stop.empty() && m_optional.stop) {
      body["stop"] = request.stop;
    }
    if (!request.schema.empty()) {
      hold_to(request.schema, body);
    }
    return posted(list(setting, key), url_below(setting.base_url, "/chat/completions"), body);
  }

  HttpRequest list(const ModelSetting& setting, const std::string& key) const override
  {
    HttpRequest list;
    list.method = "GET";
    list.url = url_below(setting.base_url, "/models");
    list.silence = setting.silence;
    if (!key.empty()) {
      m_azure ? list.headers.emplace_back("api-key", key) : list.headers.emplace_back("Authorization", "Bearer " + key);
    }
    return list;
  }

  void take(const StreamedEvent& event, StreamedAnswer& reading) const override
  {
    if (trim(event.data) == "[DONE]") {
      reading.over = true;
      return;
    }
    const Json chunk = Json::parse(event.data, nullptr, false);
    if (!chunk.is_object()) {
      return broken_piece(reading);
    }
    take_choice(chunk, "delta", reading);
  }

  void take_whole(const Json& answer, StreamedAnswer& reading) const override
  {
    take_choice(answer, "message", reading);
  }

  bool adapt(const std::string& complaint) override
  {
    const auto about = [&](std::string_view word) { return complaint.find(word) != std::string::npos; };
    const auto once = [](bool& flag, bool value) { return std::exchange(flag, value) != value; };
    if (about("max_tokens") && about("max_completion_tokens")) {
      return once(m_optional.newer_limit, true);
    }
    if (about("max_completion_tokens")) {
      return once(m_optional.newer_limit, false);
    }
    if (about("stream_options")) {
      return once(m_optional.usage_in_stream, false);
    }
    if (about("temperature")) {
      return once(m_optional.temperature, false);
    }
    if (about("seed")) {
      return once(m_optional.seed, false);
    }
    using Schema = Optional::Schema;
    if (m_optional.schema == Schema::response_format && (about("response_format") || about("json_schema"))) {
      m_optional.schema = Schema::tool;
      return true;
    }
    if (m_optional.schema == Schema::tool && about("tool")) {
      m_optional.schema = Schema::nothing;
      return true;
    }
    return about("'stop'") && once(m_optional.stop, false);
  }

private:
  void hold_to(const std::string& schema, Json& body) const
  {
    const Json parsed = Json::parse(schema, nullptr, false);
    if (m_optional.schema == Optional::Schema::response_format) {
      const Json named{{"name", k_schema_name}, {"strict", true}, {"schema", parsed}};
      body["response_format"] = {{"type", "json_schema"}, {"json_schema", named}};
    } else if (m_optional.schema == Optional::Schema::tool) {
      const Json function{{"name", k_schema_name}, {"parameters", parsed}};
      body["tools"] = Json::array({{{"type", "function"}, {"function", function}}});
      body["tool_choice"] = {{"type", "function"}, {"function", {{"name", k_schema_name}}}};
    }
  }

  static Json message_json(const ModelMessage& message)
  {
    Json json{{"role", name_of(message.role)}, {"content", message.text}};
    if (message.role == ModelMessage::Role::tool) {
      json["tool_call_id"] = message.call;
    }
    for (const ToolCall& call : message.calls) {
      json["tool_calls"].push_back(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    }
    return json;
  }

  // Pieces of calls: the first of a call has its id and name, those that follow more of its arguments.
  static void take_calls(const Json& message, std::vector<ToolCall>& calls)
  {
    const auto pieces = message.find("tool_calls");
    if (pieces == message.end() || !pieces->is_array()) {
      return;
    }
    for (std::size_t i = 0; i < pieces->size(); ++i) {
      const Json& piece = (*pieces)[i];
      const std::string id = string_at(piece, "id");
      const bool numbered = piece.is_object() && piece.contains("index");
      // Servers that do not number them send each whole.
      const std::size_t at = numbered ? static_cast<std::size_t>(integer_at(piece, "index")) : calls.size();
      if (at > k_most_calls) {
        continue;
      }
      calls.resize(std::max(calls.size(), at + 1));
      calls[at].id += calls[at].id.empty() ? id : "";
      if (piece.is_object() && piece.contains("function")) {
        const Json& function = piece["function"];
        calls[at].name += string_at(function, "name");
        const bool object = function.is_object() && function.contains("arguments") && function["arguments"].is_object();
        calls[at].arguments += object ? function["arguments"].dump() : string_at(function, "arguments");
      }
    }
  }

  // The arguments of the first call; a second one is no part of the answer.
  static std::string arguments_of(const Json& message)
  {
    const auto calls = message.find("tool_calls");
    if (calls == message.end() || !calls->is_array() || calls->empty()) {
      return "";
    }
    const Json& call = calls->front();
    return integer_at(call, "index") == 0 && call.is_object() && call.contains("function")
             ? string_at(call["function"], "arguments")
             : "";
  }

  static void take_choice(const Json& chunk, const char* part, StreamedAnswer& reading)
  {
    if (chunk.contains("error")) {
      const Json& error = chunk["error"];
      reading.error = error.is_string() ? error.get<std::string>() : string_at(error, "message");
      reading.error = reading.error.empty() ? "an error without words" : reading.error;
      reading.error_passes = true;
    }
    if (std::string model = string_at(chunk, "model"); !model.empty()) {
      reading.model = std::move(model);
    }
    if (chunk.contains("usage") && chunk["usage"].is_object()) {
      const Json& usage = chunk["usage"];
      const Json details = usage.value("prompt_tokens_details", Json());
      reading.usage = ModelUsage{integer_at(usage, "prompt_tokens"), integer_at(details, "cached_tokens"),
                                 integer_at(usage, "completion_tokens"), false};
    }
    if (!chunk.contains("choices") || !chunk["choices"].is_array() || chunk["choices"].empty()) {
      return;
    }
    const Json& choice = chunk["choices"][0];
    if (choice.contains(part) && choice[part].is_object()) {
      reading.text += string_at(choice[part], "content");
      reading.reasoning += string_at(choice[part], "reasoning_content");
      reading.reasoning += string_at(choice[part], "reasoning");
      if (reading.schema_as_tool) {
        reading.text += arguments_of(choice[part]);
      } else {
        take_calls(choice[part], reading.calls);
      }
      reading.refusal += string_at(choice[part], "refusal");
    }
    const std::string finish = string_at(choice, "finish_reason");
    if (finish == "stop" || finish == "eos" || finish == "end_turn") {
      reading.end = reading.refusal.empty() ? StreamedAnswer::End::complete : StreamedAnswer::End::refused;
    } else if (finish == "length") {
      reading.end = StreamedAnswer::End::cut_off;
    } else if (finish == "content_filter") {
      reading.end = StreamedAnswer::End::refused;
    } else if (finish == "tool_calls" || finish == "function_call") {
      reading.end =
        reading.text.empty() && reading.calls.empty() ? StreamedAnswer::End::wants_tool : StreamedAnswer::End::complete;
    } else if (!finish.empty()) { // a word of the server's own
      reading.end = StreamedAnswer::End::complete;
    }
  }

  Optional m_optional;
  bool m_azure = false;
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_openai(const ModelSetting& setting, const ModelServices& world)
{
  return std::make_unique<ServerProvider>(std::make_unique<ChatCompletions>(setting.base_url), setting, world);
}

} // namespace hone::llm
