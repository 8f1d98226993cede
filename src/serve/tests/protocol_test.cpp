// The protocol as clients see it: both eras, what is refused, and with which code.
#include "serve/pipe.h"
#include "serve/prompts.h"
#include "serve/protocol.h"
#include "serve/resources.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace hone;
using namespace hone::serve;
using testing::HasSubstr;

namespace {

class Client {
public:
  Client()
    : m_folder(std::move(*TemporaryFolder::create("hone-serve"))), m_place(*Roots::open({m_folder.path()}), false, {})
  {
  }

  Json request(const std::string& method, Json params = Json::object(), const Carrier& carrier = {})
  {
    const Message message{Message::Kind::request, 1, method, std::move(params)};
    const auto era = m_protocol.era_of(message, carrier);
    if (!era) {
      return error_message(1, era.error());
    }
    auto result = m_protocol.answer(message, *era, {});
    return result ? result_message(1, *result) : error_message(1, result.error());
  }
  Json modern(const std::string& method, Json params = Json::object(), const std::string& version = "2026-07-28")
  {
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", version},
                       {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
    return request(method, std::move(params));
  }
  Json legacy(const std::string& method, Json params = Json::object())
  {
    Carrier carrier;
    carrier.negotiated = "2025-11-25";
    return request(method, std::move(params), carrier);
  }
  Protocol& protocol() { return m_protocol; }
  Workplace& place() { return m_place; }
  const fs::path& folder() const { return m_folder.path(); }

private:
  TemporaryFolder m_folder;
  Workplace m_place;
  Protocol m_protocol{m_place};
};

int code_of(const Json& answer)
{
  return answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
}

Carrier web(std::optional<std::string> version, std::optional<std::string> method, std::optional<std::string> name = {})
{
  Carrier carrier;
  carrier.over_http = true;
  carrier.version_header = std::move(version);
  carrier.method_header = std::move(method);
  carrier.name_header = std::move(name);
  return carrier;
}

} // namespace

// A client of the stateless protocol would take the server for an old one, or keep nothing of what it lists.
TEST(Stateless, DiscoversAndMarksItsResults)
{
  Client client;
  const Json found = client.modern("server/discover")["result"];
  EXPECT_EQ(found["supportedVersions"][0], "2026-07-28");
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hone");
  EXPECT_TRUE(found["capabilities"].contains("tools"));
  for (const char* method :
       {"server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list"}) {
    const Json result = client.modern(method)["result"];
    EXPECT_GE(result["ttlMs"], 0) << method;
    EXPECT_EQ(result["cacheScope"], "private") << method;
  }
  EXPECT_FALSE(client.modern("tools/call", {{"name", "job"}})["result"].contains("ttlMs"));
}

// Requests would be answered in a protocol that the client does not speak.
TEST(Stateless, RefusesWithTheCodesOfTheProtocol)
{
  Client client;
  const Json unsupported = client.modern("tools/list", {}, "2027-01-01");
  EXPECT_EQ(code_of(unsupported), -32022);
  EXPECT_EQ(unsupported["error"]["data"]["requested"], "2027-01-01");
  EXPECT_EQ(unsupported["error"]["data"]["supported"], Json(supported_versions()));
  EXPECT_EQ(code_of(client.request("tools/list")), -32602); // neither a handshake nor a version
  EXPECT_EQ(
    code_of(client.request("tools/list", {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}})),
    -32602);
  EXPECT_EQ(code_of(client.modern("initialize")), -32601);
  EXPECT_EQ(code_of(client.modern("ping")), -32601);
  EXPECT_EQ(code_of(client.modern("nothing/such")), -32601);
  EXPECT_EQ(code_of(client.modern("tools/call", {{"name", "no_tool"}})), -32602);
  EXPECT_EQ(code_of(client.modern("tools/call", {{"name", 5}})), -32602);
  EXPECT_EQ(code_of(client.modern("resources/read", {{"uri", "hone://record/j99"}})), -32602);
  EXPECT_EQ(code_of(client.modern("prompts/get", {{"name", "no_prompt"}})), -32602);
}

// An old client would get a protocol that it did not offer, or members that it does not know.
TEST(Handshake, AgreesOnAVersionThatBothKnow)
{
  Client client;
  for (const auto& [asked, agreed] :
       {std::pair{"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"}, {"1999-01-01", "2025-11-25"}}) {
    const Json result = client.request("initialize", {{"protocolVersion", asked}})["result"];
    EXPECT_EQ(result["protocolVersion"], agreed);
    EXPECT_EQ(result["serverInfo"]["name"], "hone");
    EXPECT_FALSE(result.contains("resultType"));
  }
  EXPECT_EQ(client.legacy("ping")["result"], Json::object());
  EXPECT_FALSE(client.legacy("tools/list")["result"].contains("ttlMs"));
  EXPECT_EQ(code_of(client.legacy("server/discover")), -32601);
  EXPECT_EQ(code_of(client.legacy("resources/read", {{"uri", "hone://record/j99"}})), -32002);
}

// An intermediary would route by headers that say something else than the body.
TEST(Headers, HaveToSayWhatTheBodySays)
{
  Client client;
  const Json meta{{"_meta",
                   {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                    {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}};
  Json call = meta;
  call["name"] = "job";
  EXPECT_EQ(code_of(client.request("tools/call", call, web("2026-07-28", "tools/call", "job"))), 0);
  EXPECT_EQ(code_of(client.request("tools/call", call, web("2026-07-28", "tools/call", "=?base64?am9i?="))), 0);
  EXPECT_EQ(code_of(client.request("tools/call", call, web("2026-07-28", "tools/call", "other"))), -32020);
  EXPECT_EQ(code_of(client.request("tools/call", call, web("2026-07-28", "tools/call"))), -32020);
  EXPECT_EQ(code_of(client.request("tools/list", meta, web("2026-07-28", "tools/call"))), -32020);
  EXPECT_EQ(code_of(client.request("tools/list", meta, web("2025-11-25", "tools/list"))), -32020);
  EXPECT_EQ(code_of(client.request("tools/list", meta, web({}, "tools/list"))), -32020);
  EXPECT_EQ(code_of(client.request("tools/list", Json::object(), web("2026-07-28", "tools/list"))), -32602);
  EXPECT_EQ(code_of(client.request("tools/list", Json::object(), web("2031-01-01", "tools/list"))), -32022);
  EXPECT_EQ(code_of(client.request("tools/list", Json::object(), web("2025-06-18", {}))), 0);
  Carrier twice = web("2026-07-28", "tools/list");
  twice.duplicated_header = true;
  EXPECT_EQ(code_of(client.request("tools/list", meta, twice)), -32020);
  EXPECT_EQ(decoded_header("=?base64?w7w=?="), "\u00fc");
  EXPECT_FALSE(decoded_header("=?base64?***?="));
}

// A model would not know how to call a tool, or a client refuse the list.
TEST(Tools, SayWhatTheyTakeAndReturn)
{
  Client client;
  const Json list = client.modern("tools/list")["result"]["tools"];
  EXPECT_LE(list.size(), 12U);
  EXPECT_EQ(list, client.legacy("tools/list")["result"]["tools"]);
  for (const Json& tool : list) {
    EXPECT_THAT(tool["description"].get<std::string>(),
                HasSubstr("Example: " + tool["name"].get<std::string>() + " {"));
    for (const char* schema : {"inputSchema", "outputSchema"}) {
      EXPECT_EQ(tool[schema]["$schema"], "https://json-schema.org/draft/2020-12/schema");
      EXPECT_EQ(tool[schema]["type"], "object");
    }
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"].is_boolean());
  }
  // Every example is a call that the schema takes.
  for (const Tool& tool : tools()) {
    const std::string& text = tool.description;
    const std::size_t begin = text.find('{', text.find("Example: "));
    const Json example = Json::parse(text.substr(begin), nullptr, false);
    ASSERT_FALSE(example.is_discarded()) << text.substr(begin);
    EXPECT_TRUE(check_arguments(tool.input, example)) << tool.name;
  }
}

// A model could not mend its call: a protocol error is not shown to it.
TEST(Tools, TellWhatIsWrongInArgumentsAsResults)
{
  Client client;
  const std::pair<Json, const char*> wrong[] = {
    {{{"name", "read_kernel"}}, "lacks 'kernel'"},
    {{{"name", "read_kernel"}, {"arguments", {{"kernel", 5}}}}, "of type string"},
    {{{"name", "read_kernel"}, {"arguments", {{"kernal", "a"}, {"kernel", "b"}}}}, "knows no 'kernal'"},
    {{{"name", "read_kernel"}, {"arguments", {{"kernel", "nothing-such"}}}}, "there is no kernel"},
    {{{"name", "job"}, {"arguments", {{"job", "j7"}}}}, "there is no job 'j7'"},
    {{{"name", "job"}, {"arguments", {{"job", "j7"}, {"wait_s", 26}}}}, "out of range"},
    {{{"name", "run_candidate"}, {"arguments", {{"kernel", "matmul"}, {"candidate", "naive"}, {"depth", "deep"}}}},
     "one of"},
    {{{"name", "run_candidate"}, {"arguments", {{"kernel", "matmul"}, {"candidate", "naive"}, {"sizes", {{"m", 0}}}}}},
     "range"},
  };
  for (const auto& [params, text] : wrong) {
    const Json result = client.modern("tools/call", params)["result"];
    EXPECT_EQ(result["isError"], true) << params;
    EXPECT_THAT(result["content"][0]["text"].get<std::string>(), HasSubstr(text));
    EXPECT_TRUE(result["structuredContent"]["error"].contains("message"));
  }
}

// Prompts without what they were asked about would reach a model.
TEST(Prompts, TakeArguments)
{
  EXPECT_EQ(prompts_list()["prompts"].size(), 2U);
  const auto prompt = get_prompt({{"name", "optimise_kernel"}, {"arguments", {{"kernel", "softmax"}}}});
  ASSERT_TRUE(prompt);
  EXPECT_THAT((*prompt)["messages"][0]["content"]["text"].get<std::string>(), HasSubstr("'softmax'"));
  EXPECT_FALSE(get_prompt({{"name", "optimise_kernel"}}));
}

// The name of a kernel in a folder would be read as two parts.
TEST(Resources, NamesOfPartsComeBack)
{
  const std::string name = "a b/c%\xc3\xbc";
  EXPECT_EQ(uri_part(name).find('/'), std::string::npos);
  EXPECT_EQ(from_uri_part(uri_part(name)), name);
  EXPECT_FALSE(from_uri_part("%4"));
  EXPECT_FALSE(from_uri_part("%zz"));
}

// Kernels could not be read as resources, or read from outside.
TEST(Resources, AreReadByAddress)
{
  Client client;
  fs::create_directories(client.folder() / "deep" / "mine");
  fs::copy(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul" / "kernel.toml", client.folder() / "deep" / "mine");
  const Json list = client.modern("resources/list")["result"]["resources"];
  EXPECT_EQ(list[0]["uri"], "hone://kernel/deep%2Fmine");
  const Json read = client.modern("resources/read", {{"uri", "hone://kernel/deep%2Fmine"}});
  EXPECT_THAT(read["result"]["contents"][0]["text"].get<std::string>(), HasSubstr("[compute]"));
  EXPECT_EQ(code_of(client.modern("resources/read", {{"uri", "hone://kernel/..%2F..%2Fetc"}})), -32602);
  EXPECT_EQ(code_of(client.modern("resources/read", {{"uri", "file:///etc/passwd"}})), -32602);
}

// A line that is no message would end the session, or be answered with something that is none.
TEST(Pipe, AnswersWhateverComes)
{
  Client client;
  std::vector<std::string> lines;
  std::mt19937_64 random(7); // NOLINT: the same lines each time
  {
    PipeSession session(client.protocol(), [&](std::string_view line) { lines.emplace_back(line); });
    const std::string good = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})";
    for (int i = 0; i < 3000; ++i) {
      std::string line = good;
      for (int changes = 0; changes < 1 + i % 9; ++changes) {
        line[random() % line.size()] = static_cast<char>(random());
      }
      session.take(i % 3 == 0 ? line : line.substr(random() % line.size()));
    }
    session.take(std::string(200'000, '[') + std::string(200'000, ']'));
    session.take(R"({"jsonrpc":"2.0","id":"last","method":"ping"})");
    for (const std::string& line : lines) {
      const Json answer = Json::parse(line, nullptr, false);
      ASSERT_TRUE(answer.is_object() && answer["jsonrpc"] == "2.0" && answer.contains("id")) << line;
      ASSERT_EQ(line.find('\n'), line.size() - 1);
    }
    EXPECT_EQ(Json::parse(lines.back())["id"], "last");
  }
}

// What cannot be read would get no answer, or one that belongs to another request.
TEST(Pipe, NamesTheIdWhereItCanBeRead)
{
  Client client;
  std::vector<Json> answers;
  PipeSession session(client.protocol(), [&](std::string_view line) { answers.push_back(Json::parse(line)); });
  const std::tuple<const char*, int, Json> lines[] = {
    {"{", -32700, nullptr},
    {"[1]", -32600, nullptr},
    {R"({"jsonrpc":"1.0","id":3,"method":"ping"})", -32600, 3},
    {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600, nullptr},
    {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600, nullptr},
    {R"({"jsonrpc":"2.0","id":4})", -32600, 4},
    {R"({"jsonrpc":"2.0","id":5,"method":7})", -32600, 5},
    {R"({"jsonrpc":"2.0","id":6,"method":"ping","params":[]})", -32602, 6},
  };
  for (const auto& [line, code, id] : lines) {
    answers.clear();
    session.take(line);
    ASSERT_EQ(answers.size(), 1U) << line;
    EXPECT_EQ(code_of(answers[0]), code) << line;
    EXPECT_EQ(answers[0]["id"], id) << line;
  }
  answers.clear();
  session.take(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  session.take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})");
  session.take(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  EXPECT_TRUE(answers.empty());
}

// `echo REQUEST | hone mcp` would end before it has answered.
TEST(Pipe, AnswersWhatWasAskedBeforeItEnds)
{
  Client client;
  std::vector<Json> answers;
  {
    PipeSession session(client.protocol(), [&](std::string_view line) { answers.push_back(Json::parse(line)); });
    session.take(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    session.take(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"job","arguments":{}}})");
    session.take(R"({"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"no_tool"}})");
  }
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(client.place().jobs().look(client.place().jobs().start("a", "x", {}))->state, JobState::cancelled);
}
