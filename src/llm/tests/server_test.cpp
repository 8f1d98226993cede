// Providers against a real HTTP server: what they send, and how every kind of bad answer ends.
#include "llm/tests/model_server.h"
#include "util/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::llm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;
using Kind = ModelFailure::Kind;

constexpr const char* k_key = "sk-a-key-that-nobody-may-see";

std::string chunk(const std::string& text)
{
  const Json delta{{"content", text}};
  return "data: " + Json{{"model", "m-1"}, {"choices", {{{"delta", delta}, {"finish_reason", nullptr}}}}}.dump()
         + "\n\n";
}

std::string last_chunk(const std::string& finish)
{
  return "data: " + Json{{"choices", {{{"delta", Json::object()}, {"finish_reason", finish}}}}}.dump() + "\n\n";
}

constexpr const char* k_usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3,"
                                "\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\n";
constexpr const char* k_done = "data: [DONE]\n\n";

std::string good_stream()
{
  return chunk("Hel") + chunk("lo") + last_chunk("stop") + k_usage + k_done;
}

constexpr const char* k_good_messages = R"(event: message_start
data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":4,"cache_read_input_tokens":20,"cache_creation_input_tokens":1,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"lo"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":6}}

event: message_stop
data: {"type":"message_stop"}

)";

class ModelServerTest : public testing::Test {
protected:
  ModelResult<ModelAnswer> ask(ModelServer& server, const std::string& provider = "openai", std::string keys = k_key,
                               const ModelListener& listener = {})
  {
    const auto environment = [&](const std::string& name) -> std::optional<std::string> {
      return name.ends_with("_API_KEY") ? std::optional(keys) : std::nullopt;
    };
    const auto setting = model_setting(provider + "/m", server.url(), environment);
    EXPECT_TRUE(setting) << setting.error().text();
    ModelServices world{make_http(), m_pause};
    auto made = make_provider(*setting, world);
    EXPECT_TRUE(made);
    return (*made)->ask(m_request, listener);
  }

  std::string failure(ModelServer& server, Kind kind, const std::string& provider = "openai")
  {
    const auto answer = ask(server, provider);
    if (answer) {
      return "answered: " + answer->text;
    }
    EXPECT_EQ(answer.error().kind, kind) << answer.error().error.text();
    EXPECT_THAT(answer.error().error.text(), Not(HasSubstr(k_key)));
    EXPECT_FALSE(answer.error().error.hint.empty());
    return answer.error().error.message;
  }

  ModelRequest m_request{.model = "m", .system = "Rules.", .messages = {{ModelMessage::Role::user, "Hi"}}};
  std::shared_ptr<NotedPause> m_pause = std::make_shared<NotedPause>();
};

// llama.cpp's server ends a stream so where the request is longer than its context.
TEST_F(ModelServerTest, AnAnswerThatBreaksOffBeforeItsFirstWordNamesTheContext)
{
  ModelServer server({streams("")});
  EXPECT_THAT(failure(server, Kind::configuration), HasSubstr("broke off before the first word"));
  EXPECT_THAT(server.requests(), SizeIs(1));
  ModelServer keeps_alive({streams(": waiting\n\n: waiting\n\n")});
  EXPECT_THAT(failure(keeps_alive, Kind::configuration), HasSubstr("broke off before the first word"));
}

TEST_F(ModelServerTest, OpenaiStreamsAnAnswerWithItsCost)
{
  ModelServer server({streams(good_stream())});
  std::string heard;
  ModelListener listener;
  listener.text = [&](std::string_view text) { heard += text; };
  m_request.stop = {"END"};
  m_request.temperature = 0.5;
  const auto answer = ask(server, "openai", k_key, listener);
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, "Hello");
  EXPECT_EQ(heard, "Hello");
  EXPECT_EQ(answer->model, "m-1");
  EXPECT_EQ(answer->usage, (ModelUsage{12, 8, 3, false}));
  const auto sent = server.requests();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].path, "/chat/completions");
  EXPECT_EQ(sent[0].get_header_value("Authorization"), std::string("Bearer ") + k_key);
  const Json body = Json::parse(sent[0].body);
  EXPECT_EQ(body["messages"][0]["role"], "system");
  EXPECT_EQ(body["messages"][1]["content"], "Hi");
  EXPECT_EQ(body["stop"][0], "END");
  EXPECT_EQ(body["max_tokens"], m_request.most_tokens);
}

TEST_F(ModelServerTest, AnthropicStreamsAnAnswerWithItsCost)
{
  ModelServer server({streams(k_good_messages)});
  const auto answer = ask(server, "anthropic");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, "Hello");
  EXPECT_EQ(answer->model, "claude-x");
  EXPECT_EQ(answer->usage, (ModelUsage{25, 20, 6, false}));
  const auto sent = server.requests();
  EXPECT_EQ(sent.at(0).path, "/v1/messages");
  EXPECT_EQ(sent[0].get_header_value("x-api-key"), k_key);
  const Json body = Json::parse(sent[0].body);
  EXPECT_EQ(body["system"][0]["cache_control"]["type"], "ephemeral");
}

TEST_F(ModelServerTest, ServersThatDoNotStreamAreUnderstood)
{
  ModelServer server({says(200, R"({"choices":[{"message":{"content":"Hi"},"finish_reason":"length"}]})")});
  const auto answer = ask(server);
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, "Hi");
  EXPECT_EQ(answer->finish, ModelAnswer::Finish::cut_off);
  EXPECT_TRUE(answer->usage.estimated);
  ModelServer other({says(200, R"({"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"})")});
  EXPECT_EQ(ask(other, "anthropic")->text, "Hi");
}

TEST_F(ModelServerTest, WhatMayPassIsTriedAgain)
{
  const std::string busy = R"({"error":{"message":"slow down","type":"rate_limit"}})";
  ModelServer server({says(429, busy, {{"Retry-After", "7"}}), says(500, "oops", {}, "text/html"),
                      says(529, busy, {{"retry-after-ms", "2500"}}), streams(good_stream())});
  std::vector<std::string> told;
  ModelListener listener;
  listener.progress = [&](std::string_view text) { told.emplace_back(text); };
  EXPECT_TRUE(ask(server, "openai", k_key, listener));
  using std::chrono::milliseconds;
  EXPECT_THAT(m_pause->waits, ElementsAre(milliseconds(7000), AllOf(Ge(milliseconds(1000)), Le(milliseconds(2000))),
                                          AllOf(Ge(milliseconds(2500)), Le(milliseconds(4000)))));
  EXPECT_THAT(told.at(0), HasSubstr("waiting 7.0 s"));
}

TEST_F(ModelServerTest, TriesAndWaitingAreBounded)
{
  ModelServer busy({says(503, "{}")});
  EXPECT_THAT(failure(busy, Kind::infrastructure), HasSubstr("answered 503"));
  EXPECT_THAT(busy.requests(), SizeIs(8));
  ModelServer patient({says(429, "{}", {{"Retry-After", "86400"}})});
  EXPECT_THAT(failure(patient, Kind::infrastructure), HasSubstr("asks to wait 86400 s"));
  EXPECT_THAT(patient.requests(), SizeIs(1));
}

TEST_F(ModelServerTest, WhatDoesNotPassIsNotTriedAgain)
{
  struct Case {
    int status;
    std::string body, words;
  };
  for (const Case& bad : std::vector<Case>{
         {401, R"({"error":{"message":"Incorrect API key: sk-a-key-that-nobody-may-see"}})", "(key)"},
         {403, "no", "answered 403 (no)"},
         {404, R"({"error":{"message":"The model `m` does not exist","code":"model_not_found"}})", "model_not_found"},
         {400, R"({"error":{"code":"context_length_exceeded","message":"maximum context length is 8"}})", "context"},
         {413, R"({"error":"prompt is too long"})", "prompt is too long"},
         {429, R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}})", "quota"},
         {402, "{}", "answered 402"},
         {418, "", "answered 418"}}) {
    ModelServer server({says(bad.status, bad.body)});
    EXPECT_THAT(failure(server, Kind::configuration), HasSubstr(bad.words));
    EXPECT_THAT(server.requests(), SizeIs(1)) << bad.status;
  }
  EXPECT_THAT(m_pause->waits, IsEmpty());
}

TEST_F(ModelServerTest, ACutStreamIsNoAnswer)
{
  ModelServer cut({streams(chunk("Hel")), streams(good_stream())});
  EXPECT_EQ(ask(cut)->text, "Hello");
  ModelServer always({streams(chunk("Hel"))});
  EXPECT_THAT(failure(always, Kind::infrastructure), HasSubstr("in the middle of an answer"));
  ModelServer messages({streams("data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"Hel\"}}\n\n")});
  EXPECT_THAT(failure(messages, Kind::infrastructure, "anthropic"), HasSubstr("in the middle of an answer"));
}

TEST_F(ModelServerTest, ErrorsInsideAStreamAreSeen)
{
  ModelServer overloaded(
    {streams("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n"),
     streams(k_good_messages)});
  EXPECT_EQ(ask(overloaded, "anthropic")->text, "Hello");
  ModelServer invalid(
    {streams("data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}\n\n")});
  EXPECT_THAT(failure(invalid, Kind::configuration, "anthropic"), HasSubstr("bad"));
  ModelServer garbled({streams("data: {\"choices\": [\n\n"), streams(good_stream())});
  EXPECT_EQ(ask(garbled)->text, "Hello");
}

TEST_F(ModelServerTest, WhoDoesNotAnswerIsNamed)
{
  ModelServer html({says(200, "<html>login</html>", {}, "text/html")});
  EXPECT_THAT(failure(html, Kind::configuration), HasSubstr("no answer of a model"));
  ModelServer silent({streams(last_chunk("stop") + k_done)});
  EXPECT_THAT(failure(silent, Kind::answer), HasSubstr("said nothing"));
  ModelServer thinking({streams(last_chunk("length") + k_done)});
  EXPECT_THAT(failure(thinking, Kind::answer), HasSubstr("used all 8192 tokens"));
  ModelServer filter({streams(last_chunk("content_filter") + k_done)});
  EXPECT_THAT(failure(filter, Kind::answer), HasSubstr("refused to answer"));
  ModelServer tool(
    {streams("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]},"
             "\"finish_reason\":\"tool_calls\"}]}\n\n"
             + std::string(k_done))});
  EXPECT_THAT(failure(tool, Kind::answer), HasSubstr("asked for a tool"));
}

TEST_F(ModelServerTest, APromptThatWasCutIsNoticed)
{
  m_request.system = std::string(100'000, 'x');
  ModelServer server({streams(good_stream())});
  EXPECT_THAT(failure(server, Kind::configuration), HasSubstr("read 12 tokens of a prompt of about 25001"));
}

TEST_F(ModelServerTest, WhatAServerDoesNotKnowIsLeftOut)
{
  m_request.temperature = 0.2;
  const auto complains = [](const std::string& words) {
    return says(400, Json{{"error", {{"message", words}}}}.dump());
  };
  ModelServer server({complains("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
                      complains("temperature is not supported with this model"),
                      complains("unknown field stream_options"), streams(good_stream())});
  ASSERT_TRUE(ask(server));
  const Json body = Json::parse(server.requests().back().body);
  EXPECT_FALSE(body.contains("max_tokens") || body.contains("temperature") || body.contains("stream_options"));
  EXPECT_TRUE(body.contains("max_completion_tokens"));
  ModelServer stubborn({complains("temperature is not supported")});
  EXPECT_THAT(failure(stubborn, Kind::configuration), HasSubstr("temperature"));
  EXPECT_THAT(stubborn.requests(), SizeIs(2));
}

TEST_F(ModelServerTest, OpenaiHoldsAModelToASchemaOneWayOrAnother)
{
  m_request.schema = R"({"type":"object"})";
  const std::string arguments = R"({"files":[]})";
  const auto piece = [](int call, const std::string& text) {
    const Json calls{{{"index", call}, {"function", {{"arguments", text}}}}};
    return "data: " + Json{{"choices", {{{"delta", {{"tool_calls", calls}}}}}}}.dump() + "\n\n";
  };
  const auto complains = [](const std::string& words) {
    return says(400, Json{{"error", {{"message", words}}}}.dump());
  };
  ModelServer server({complains("'response_format' of type 'json_schema' is not supported"),
                      streams(piece(0, R"({"fi)") + piece(0, R"(les":[]})") + piece(1, "another")
                              + last_chunk("tool_calls") + k_usage + k_done)});
  const auto answer = ask(server);
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, arguments);
  const Json first = Json::parse(server.requests().at(0).body), second = Json::parse(server.requests().at(1).body);
  EXPECT_EQ(first["response_format"]["json_schema"]["schema"]["type"], "object");
  EXPECT_TRUE(first["response_format"]["json_schema"]["strict"]);
  EXPECT_FALSE(first.contains("tools") || second.contains("response_format"));
  EXPECT_EQ(second["tools"][0]["function"]["parameters"]["type"], "object");
  EXPECT_EQ(second["tool_choice"]["function"]["name"], second["tools"][0]["function"]["name"]);
  ModelServer plain({complains("response_format: no"), complains("tools are not served"), streams(good_stream())});
  EXPECT_EQ(ask(plain)->text, "Hello"); // what it says is looked at all the same
  const Json last = Json::parse(plain.requests().back().body);
  EXPECT_FALSE(last.contains("tools") || last.contains("response_format"));
  ModelServer whole(
    {says(200, R"({"choices":[{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{}"}}]},)"
               R"("finish_reason":"tool_calls"}]})")});
  EXPECT_EQ(ask(whole)->text, "{}");
}

TEST_F(ModelServerTest, AnthropicHoldsAModelToASchemaByATool)
{
  m_request.schema = R"({"type":"object"})";
  ModelServer server({streams(R"(event: content_block_start
data: {"type":"content_block_start","content_block":{"type":"tool_use","name":"answer","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"files\""}}

event: content_block_delta
data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":":[]}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

event: message_stop
data: {"type":"message_stop"}

)")});
  const auto answer = ask(server, "anthropic");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, R"({"files":[]})");
  const Json body = Json::parse(server.requests().at(0).body);
  EXPECT_EQ(body["tools"][0]["input_schema"]["type"], "object");
  EXPECT_EQ(body["tool_choice"]["name"], body["tools"][0]["name"]);
  ModelServer whole({says(200, R"({"content":[{"type":"tool_use","input":{"files":[]}}],"stop_reason":"tool_use"})")});
  EXPECT_EQ(ask(whole, "anthropic")->text, R"({"files":[]})");
}

TEST_F(ModelServerTest, AnotherKeyIsTriedWhereOneIsNotLetIn)
{
  ModelServer server({says(401, "{}"), says(429, "{}"), streams(good_stream())});
  EXPECT_TRUE(ask(server, "openai", "key-one, key-two,key-three"));
  std::vector<std::string> keys;
  for (const httplib::Request& request : server.requests()) {
    keys.push_back(request.get_header_value("Authorization"));
  }
  EXPECT_THAT(keys, ElementsAre("Bearer key-one", "Bearer key-two", "Bearer key-three"));
  EXPECT_THAT(m_pause->waits, IsEmpty());
}

TEST_F(ModelServerTest, NobodyThereIsInfrastructure)
{
  std::string url;
  {
    ModelServer gone({says(200, "")});
    url = gone.url();
  }
  const auto setting = model_setting("openai/m", url, [](const std::string&) { return std::nullopt; });
  ASSERT_TRUE(setting);
  const auto provider = make_provider(*setting, {make_http(), m_pause});
  const auto answer = (*provider)->ask(m_request, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::infrastructure);
  EXPECT_THAT(answer.error().error.hint, HasSubstr("server running"));
}

TEST_F(ModelServerTest, StoppingEndsARequest)
{
  std::stop_source stop;
  ModelServer slow({[&](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/event-stream", [&](std::size_t, httplib::DataSink& sink) {
      const std::string piece = chunk("x");
      sink.write(piece.data(), piece.size());
      stop.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return true;
    });
  }});
  ModelListener listener;
  listener.stop = stop.get_token();
  const auto answer = ask(slow, "openai", k_key, listener);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::stopped);
}

TEST_F(ModelServerTest, ModelsAreListed)
{
  ModelServer server({says(200, R"({"data":[{"id":"m"},{"id":"n"}]})")});
  const auto setting = model_setting("openai/m", server.url(), [](const std::string&) { return std::nullopt; });
  const auto provider = make_provider(*setting, {make_http(), m_pause});
  const auto names = (*provider)->models({});
  ASSERT_TRUE(names);
  EXPECT_THAT(*names, ElementsAre("m", "n"));
  EXPECT_EQ(server.requests().at(0).path, "/models");
}

} // namespace
} // namespace hone::llm
