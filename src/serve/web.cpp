#include "serve/web.h"

#include "serve/loopback.h"
#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <httplib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::serve {

namespace {

constexpr std::size_t k_longest_body = 8 << 20;
constexpr std::size_t k_shortest_token = 16;
constexpr const char* k_path = "/mcp";
constexpr const char* k_json = "application/json";

int status_for(RpcCode code)
{
  switch (code) {
  case RpcCode::method_not_found:
    return 404;
  case RpcCode::internal:
  case RpcCode::resource_not_found:
    return 200;
  default:
    return 400;
  }
}

void put_error(httplib::Response& response, int status, const Json& id, const RpcError& error)
{
  response.status = status;
  response.set_content(to_line(error_message(id, error)), k_json);
}

void put_refusal(httplib::Response& response, int status, const std::string& message)
{
  put_error(response, status, nullptr, {RpcCode::invalid_request, message});
}

std::optional<std::string> header(const httplib::Request& request, const char* name)
{
  return request.has_header(name) ? std::optional(request.get_header_value(name)) : std::nullopt;
}

Carrier carrier_of(const httplib::Request& request)
{
  Carrier carrier;
  carrier.over_http = true;
  carrier.version_header = header(request, "MCP-Protocol-Version");
  carrier.method_header = header(request, "Mcp-Method");
  carrier.name_header = header(request, "Mcp-Name");
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    carrier.duplicated_header = carrier.duplicated_header || request.get_header_value_count(name) > 1;
  }
  return carrier;
}

// Why a request is not let in; false: it is.
bool is_refused(const httplib::Request& request, const std::string& token, httplib::Response& response)
{
  if (!is_loopback(request.get_header_value("Host"))) {
    put_refusal(response, 403, "the Host of the request is not this machine");
    return true;
  }
  if (request.has_header("Origin") && !is_loopback(request.get_header_value("Origin"))) {
    put_refusal(response, 403, "the Origin of the request is not this machine");
    return true;
  }
  const std::string given = request.get_header_value("Authorization");
  constexpr std::string_view k_bearer = "Bearer ";
  if (!given.starts_with(k_bearer) || !is_token(std::string_view(given).substr(k_bearer.size()), token)) {
    response.set_header("WWW-Authenticate", "Bearer");
    put_refusal(response, 401,
                "the header 'Authorization: Bearer TOKEN' is missing or wrong; `hone mcp` told the token");
    return true;
  }
  if (request.path != k_path) {
    put_refusal(response, 404, "the server answers at /mcp only");
    return true;
  }
  if (request.method != "POST") {
    response.set_header("Allow", "POST");
    put_refusal(response, 405, "send messages with POST; there is no other stream");
    return true;
  }
  if (!request.get_header_value("Content-Type").starts_with(k_json)) {
    put_refusal(response, 415, "the Content-Type of a message is application/json");
    return true;
  }
  return false;
}

std::string event(const Json& message)
{
  return fmt::format("event: message\r\ndata: {}\r\n\r\n", to_line(message));
}

} // namespace

struct WebServer::Impl {
  Impl(Protocol& whom, std::string secret) : protocol(whom), token(std::move(secret)) {}
  Protocol& protocol;
  std::string token;
  int port = 0;
  std::stop_token stop; // of all
  httplib::Server server;

  void take(const httplib::Request& request, httplib::Response& response);
  void stream(Message message, Era era, httplib::Response& response);
};

// Progress and then the answer, as events.
void WebServer::Impl::stream(Message message, Era era, httplib::Response& response)
{
  response.set_header("Cache-Control", "no-cache, no-transform");
  response.set_chunked_content_provider(
    "text/event-stream", [this, message = std::move(message), era](std::size_t, httplib::DataSink& sink) {
      std::stop_source gone; // the client closed the stream, which cancels the request
      const std::stop_callback on_stop(stop, [&] { gone.request_stop(); });
      const auto send = [&](const Json& one) {
        const std::string text = event(one);
        if (!sink.is_writable() || !sink.write(text.data(), text.size())) {
          gone.request_stop();
        }
      };
      RpcResult<Json> result = protocol.answer(message, era, {gone.get_token(), progress_sender(message, send)});
      send(result ? result_message(message.id, std::move(*result)) : error_message(message.id, result.error()));
      sink.done();
      return true;
    });
}

void WebServer::Impl::take(const httplib::Request& request, httplib::Response& response)
{
  auto message = read_message(request.body);
  if (!message) {
    return put_error(response, 400, message.error().id, message.error().error);
  }
  if (message->kind != Message::Kind::request) {
    response.status = 202; // nothing that a client tells without a question changes anything here
    return;
  }
  const auto era = protocol.era_of(*message, carrier_of(request));
  if (!era) {
    return put_error(response, status_for(era.error().code), message->id, era.error());
  }
  const bool takes_events = request.get_header_value("Accept").find("text/event-stream") != std::string::npos;
  const auto name = message->params.find("name");
  const bool known =
    name != message->params.end() && name->is_string() && find_tool(name->get<std::string>()) != nullptr;
  if (takes_events && known && message->method == "tools/call" && progress_sender(*message, [](const Json&) {})) {
    return stream(std::move(*message), *era, response);
  }
  RpcResult<Json> result = protocol.answer(*message, *era, {stop, {}});
  if (!result) {
    return put_error(response, *era == Era::stateless ? status_for(result.error().code) : 200, message->id,
                     result.error());
  }
  response.set_content(to_line(result_message(message->id, std::move(*result))), k_json);
}

WebServer::WebServer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
WebServer::~WebServer() = default;

int WebServer::port() const
{
  return m_impl->port;
}

Result<std::unique_ptr<WebServer>> WebServer::listen(Protocol& protocol, int port, std::string token)
{
  auto impl = std::make_unique<Impl>(protocol, std::move(token));
  httplib::Server& server = impl->server;
  server.set_payload_max_length(k_longest_body);
  server.set_pre_routing_handler([&one = *impl](const httplib::Request& request, httplib::Response& response) {
    return is_refused(request, one.token, response) ? httplib::Server::HandlerResponse::Handled
                                                    : httplib::Server::HandlerResponse::Unhandled;
  });
  server.Post(k_path, [&one = *impl](const httplib::Request& request, httplib::Response& response) {
    one.take(request, response);
  });
  HONE_TRY(impl->port, listen_on_loopback(server, port, "--http"));
  return std::unique_ptr<WebServer>(new WebServer(std::move(impl)));
}

void WebServer::serve(std::stop_token stop)
{
  m_impl->stop = stop;
  serve_until(m_impl->server, std::move(stop));
}

bool is_token(std::string_view given, std::string_view token)
{
  return given.size() == token.size() && CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

bool is_loopback(std::string_view host)
{
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (host.starts_with(scheme)) {
      host.remove_prefix(scheme.size());
    }
  }
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view port = colon == std::string_view::npos ? "" : host.substr(colon + 1);
  const std::string_view name = host.substr(0, colon);
  return (name == "127.0.0.1" || name == "localhost" || name == "[::1]")
         && port.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::string> fresh_token()
{
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return fail("the system gives no random numbers for a token", "set HONE_MCP_TOKEN to one of your own");
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

namespace {

Result<Token> checked(std::string text, const std::string& origin)
{
  if (text.size() < k_shortest_token || text.find_first_of(" \t\r\n") != std::string::npos) {
    return fail(
      fmt::format("the token in {} is shorter than {} characters, or has blanks in it", origin, k_shortest_token),
      "remove it: `hone mcp` makes a good one", Place{origin, 0, 0});
  }
  return Token{std::move(text), false};
}

Result<void> write_private(const std::string& file, const std::string& text)
{
  const int output = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const std::string line = text + "\n";
  const bool written = output >= 0 && ::write(output, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (output >= 0) {
    ::close(output);
  }
  if (!written) {
    return fail(fmt::format("cannot write the token to '{}'", file), "name a file in a folder that you can write to",
                Place{"--token-file", 0, 0});
  }
  return {};
}

} // namespace

Result<Token> web_token(const std::string& file)
{
  if (!file.empty()) {
    std::error_code error;
    if (fs::exists(file, error)) {
      HONE_TRY(const std::string text, read_file(file));
      return checked(std::string(trim(text)), file);
    }
    HONE_TRY(std::string text, fresh_token());
    HONE_CHECK(write_private(file, text));
    return Token{std::move(text), false}; // who started us knows the file
  }
  if (const char* given = std::getenv("HONE_MCP_TOKEN"); given != nullptr && *given != '\0') {
    return checked(given, "HONE_MCP_TOKEN");
  }
  HONE_TRY(std::string text, fresh_token());
  return Token{std::move(text), true};
}

} // namespace hone::serve
