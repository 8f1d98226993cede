// HTTP: who is let in, and what comes back.
#include "serve/web.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <httplib.h>

using namespace hone;
using namespace hone::serve;
using testing::HasSubstr;

namespace {

constexpr const char* k_token = "0123456789abcdef0123456789abcdef";

class Served {
public:
  Served() : m_place(*Roots::open({m_folder.path()}), false, {})
  {
    m_server = std::move(*WebServer::listen(m_protocol, 0, k_token));
    m_thread = std::thread([this] { m_server->serve(m_stop.get_token()); });
  }
  ~Served()
  {
    m_stop.request_stop();
    m_thread.join();
  }
  int port() const { return m_server->port(); }
  httplib::Result post(const std::string& body, httplib::Headers headers = {}, const char* path = "/mcp") const
  {
    httplib::Client client("127.0.0.1", m_server->port());
    headers.emplace("Accept", "application/json, text/event-stream");
    if (headers.count("Authorization") == 0) {
      headers.emplace("Authorization", std::string("Bearer ") + k_token);
    }
    return client.Post(path, headers, body, "application/json");
  }

private:
  TemporaryFolder m_folder = std::move(*TemporaryFolder::create("hone-web"));
  Workplace m_place;
  Protocol m_protocol{m_place};
  std::unique_ptr<WebServer> m_server;
  std::stop_source m_stop;
  std::thread m_thread;
};

constexpr const char* k_ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

std::string modern(const std::string& method, const std::string& more = "")
{
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method
         + R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{})"
         + more + "}}";
}

} // namespace

// A page in a browser, or another user of the machine, would drive the server.
TEST(Web, LetsInOnlyWhoKnowsTheToken)
{
  const Served served;
  EXPECT_EQ(served.post(k_ping)->status, 200);
  EXPECT_EQ(served.post(k_ping, {{"Authorization", "Bearer wrong"}})->status, 401);
  EXPECT_EQ(served.post(k_ping, {{"Authorization", std::string("Basic ") + k_token}})->status, 401);
  EXPECT_EQ(served.post(k_ping, {{"Authorization", ""}})->status, 401);
  EXPECT_EQ(served.post(k_ping, {{"Origin", "https://example.org"}})->status, 403);
  EXPECT_EQ(served.post(k_ping, {{"Origin", "http://localhost:3000"}})->status, 200);
  EXPECT_EQ(served.post(k_ping, {{"Host", "evil.example:80"}})->status, 403);
  EXPECT_EQ(served.post(k_ping, {}, "/other")->status, 404);
  httplib::Client client("127.0.0.1", served.port());
  EXPECT_EQ(client.Get("/mcp", {{"Authorization", std::string("Bearer ") + k_token}})->status, 405);
  EXPECT_EQ(client.Get("/mcp")->status, 401);
}

// Clients tell the eras apart by these statuses.
TEST(Web, AnswersWithTheStatusesOfTheProtocol)
{
  const Served served;
  const httplib::Headers list{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};
  EXPECT_EQ(served.post(modern("tools/list", "}"), list)->status, 200);
  EXPECT_EQ(served.post(modern("tools/list", "}"))->status, 400); // without headers
  EXPECT_EQ(
    served.post(modern("nothing", "}"), {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "nothing"}})->status,
    404);
  EXPECT_EQ(served.post("{")->status, 400);
  EXPECT_EQ(served.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")->status, 202);
  EXPECT_THAT(
    served.post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})")->body,
    HasSubstr(R"("protocolVersion":"2025-06-18")"));
  // With a token for progress a call is answered by events.
  const auto events =
    served.post(modern("tools/call", R"(,"progressToken":5},"name":"job","arguments":{})"),
                {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "job"}});
  EXPECT_EQ(events->get_header_value("Content-Type"), "text/event-stream");
  EXPECT_THAT(events->body, HasSubstr(R"("jobs":[])"));
}

// A name that only looks like this machine would be let in.
TEST(Web, KnowsThisMachine)
{
  for (const char* good : {"127.0.0.1:80", "localhost", "[::1]:8080", "http://127.0.0.1:1", "https://localhost"}) {
    EXPECT_TRUE(is_loopback(good)) << good;
  }
  for (const char* wrong : {"", "null", "localhost.example.org", "127.0.0.1.example.org:80", "127.0.0.1@evil",
                            "evil:80", "http://evil/localhost", "127.0.0.1:80x"}) {
    EXPECT_FALSE(is_loopback(wrong)) << wrong;
  }
  EXPECT_TRUE(is_token("abc", "abc"));
  EXPECT_FALSE(is_token("abd", "abc"));
  EXPECT_FALSE(is_token("", "abc"));
}

// A token that others can read, or guess, lets them in.
TEST(Web, MakesAndKeepsTokens)
{
  const auto folder = TemporaryFolder::create("hone-token");
  const std::string file = (folder->path() / "token").string();
  const auto made = web_token(file);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->text.size(), 64U);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(web_token(file)->text, made->text);
  ASSERT_TRUE(write_file(folder->path() / "short", "abc"));
  EXPECT_FALSE(web_token((folder->path() / "short").string()));
  EXPECT_FALSE(web_token((folder->path() / "missing" / "token").string()));
}

// The second server would take the first one's clients, or say nothing.
TEST(Web, NamesAPortThatIsTaken)
{
  const Served served;
  TemporaryFolder folder = std::move(*TemporaryFolder::create("hone-web"));
  Workplace place(*Roots::open({folder.path()}), false, {});
  Protocol protocol(place);
  const auto second = WebServer::listen(protocol, served.port(), k_token);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(served.port())));
}
