// Calls of tools over both protocols: what is sent, and calls that arrive in pieces.
#include "llm/answer_store.h"
#include "llm/tests/model_server.h"
#include "util/json.h"
#include "util/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::llm {
namespace {

using testing::HasSubstr;

constexpr const char* k_chat_calls =
  "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Let me \"}}]}\n\n"
  "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"look.\",\"content\":null}}]}\n\n"
  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":"
  "{\"name\":\"profile\",\"arguments\":\"\"}}]}}]}\n\n"
  "data: "
  "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"tool\\\":\"}}]}}]}\n\n"
  "data: "
  "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"memory\\\"}\"}}]}}]}\n\n"
  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"finish\","
  "\"arguments\":\"{}\"}}]}}]}\n\n"
  "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";

constexpr const char* k_messages_calls = R"(event: message_start
data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"profile","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"tool\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"memory\"}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":6}}

event: message_stop
data: {"type":"message_stop"}

)";

class ToolCallsTest : public testing::Test {
protected:
  ModelResult<ModelAnswer> ask(ModelServer& server, const std::string& provider)
  {
    const auto setting = model_setting(provider + "/m", server.url(), [](const std::string& name) {
      return name.ends_with("_API_KEY") ? std::optional<std::string>("key") : std::nullopt;
    });
    auto made = make_provider(*setting, {make_http(), std::make_shared<NotedPause>()});
    return (*made)->ask(m_request, {});
  }

  ModelRequest m_request{
    .model = "m",
    .system = "Rules.",
    .messages = {{ModelMessage::Role::user, "Hi"},
                 {ModelMessage::Role::assistant, "", {{"c1", "read", "{\"topic\":\"kernel\"}"}, {"c2", "read", "{}"}}},
                 {ModelMessage::Role::tool, "a kernel", {}, "c1"},
                 {ModelMessage::Role::tool, "nothing", {}, "c2"}},
    .tools = {{"profile", "Looks.", R"({"type":"object","properties":{"tool":{"type":"string"}}})"}},
    .seed = 7};
};

// Would find: pieces of two calls mixed up, reasoning taken for the answer, results without their call.
TEST_F(ToolCallsTest, ChatCompletionsSendResultsAndStreamCalls)
{
  ModelServer server({[](const httplib::Request&, httplib::Response& response) {
    response.set_content(k_chat_calls, "text/event-stream");
  }});
  const auto answer = ask(server, "openai");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->calls, (std::vector<ToolCall>{{"a", "profile", "{\"tool\":\"memory\"}"}, {"b", "finish", "{}"}}));
  EXPECT_EQ(answer->reasoning, "Let me look.");
  EXPECT_EQ(answer->text, "");
  const Json body = Json::parse(server.requests().at(0).body);
  EXPECT_EQ(body["seed"], 7);
  EXPECT_EQ(body["tools"][0]["function"]["parameters"]["properties"]["tool"]["type"], "string");
  EXPECT_EQ(body["messages"][2]["tool_calls"][0]["function"]["arguments"], "{\"topic\":\"kernel\"}");
  EXPECT_EQ(body["messages"][3]["role"], "tool");
  EXPECT_EQ(body["messages"][4]["tool_call_id"], "c2");
}

TEST_F(ToolCallsTest, ServersThatDoNotStreamGiveCallsWhole)
{
  ModelServer server({[](const httplib::Request&, httplib::Response& response) {
    response.set_content(R"({"choices":[{"message":{"content":"","tool_calls":[{"id":"a","function":{"name":"profile",
"arguments":{"tool":"memory"}}}]},"finish_reason":"tool_calls"}]})",
                         "application/json");
  }});
  const auto answer = ask(server, "openai");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->calls, (std::vector<ToolCall>{{"a", "profile", "{\"tool\":\"memory\"}"}}));
}

// Would find: results of one answer in several messages of the user, which Anthropic refuses.
TEST_F(ToolCallsTest, MessagesSendResultsAndStreamCalls)
{
  ModelServer server({[](const httplib::Request&, httplib::Response& response) {
    response.set_content(k_messages_calls, "text/event-stream");
  }});
  const auto answer = ask(server, "anthropic");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->calls, (std::vector<ToolCall>{{"t1", "profile", "{\"tool\":\"memory\"}"}}));
  EXPECT_EQ(answer->text, "I look.");
  const Json body = Json::parse(server.requests().at(0).body);
  EXPECT_EQ(body["tools"][0]["input_schema"]["type"], "object");
  ASSERT_EQ(body["messages"].size(), 3U);
  EXPECT_EQ(body["messages"][1]["content"][0]["input"]["topic"], "kernel");
  EXPECT_EQ(body["messages"][2]["role"], "user");
  EXPECT_EQ(body["messages"][2]["content"][1]["tool_use_id"], "c2");
}

TEST_F(ToolCallsTest, AServerWithoutSeedsIsAskedWithoutOne)
{
  ModelServer server({[](const httplib::Request&, httplib::Response& response) {
                        response.status = 400;
                        response.set_content(R"({"error":{"message":"unknown field seed"}})", "application/json");
                      },
                      [](const httplib::Request&, httplib::Response& response) {
                        response.set_content(k_chat_calls, "text/event-stream");
                      }});
  ASSERT_TRUE(ask(server, "openai"));
  EXPECT_FALSE(Json::parse(server.requests().at(1).body).contains("seed"));
}

// Would find: a call that gets lost on the disk, so that a resumed conversation takes another way.
TEST_F(ToolCallsTest, KeptAnswersHaveTheirCalls)
{
  const TemporaryFolder folder = *TemporaryFolder::create("calls");
  const AnswerStore store(folder.path());
  ModelAnswer answer{.text = "", .calls = {{"a", "profile", "{"}}, .reasoning = "so", .model = "m"};
  ASSERT_TRUE(store.add({"openai", m_request, answer}));
  const auto found = store.find(m_request);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->answer, answer);
  m_request.messages.back().text = "something";
  EXPECT_FALSE(store.find(m_request)->has_value());
}

} // namespace
} // namespace hone::llm
