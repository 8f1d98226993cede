#include "serve/live/live_server.h"

#include "serve/live/pages.h"
#include "serve/loopback.h"
#include "serve/web.h"
#include "store/holder.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <httplib.h>

namespace hone::serve {

namespace {

constexpr const char* k_html = "text/html; charset=utf-8";
constexpr std::size_t k_runs_on_a_page = 50;
constexpr const char* k_policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Cookies do not know ports: the name keeps servers on other ports apart.
std::string cookie_name(int port)
{
  return fmt::format("hone_live_{}", port);
}

std::string cookie_in(const httplib::Request& request, const std::string& name)
{
  const std::string all = request.get_header_value("Cookie");
  const std::string begin = name + "=";
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(';', at), all.size());
    std::string_view one = std::string_view(all).substr(at, end - at);
    while (one.starts_with(' ')) {
      one.remove_prefix(1);
    }
    if (one.starts_with(begin)) {
      return std::string(one.substr(begin.size()));
    }
    at = end + 1;
  }
  return {};
}

void put(httplib::Response& response, int status, const std::string& html)
{
  response.status = status;
  response.set_content(html, k_html);
}

std::size_t number_in(const httplib::Request& request, const char* name)
{
  const std::string text = request.has_param(name) ? request.get_param_value(name) : "";
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::int64_t now_s()
{
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Sends nothing where the client has this version already.
bool is_known(const httplib::Request& request, httplib::Response& response, const std::string& version)
{
  const std::string tag = "\"" + version + "\"";
  response.set_header("ETag", tag);
  if (request.get_header_value("If-None-Match") != tag) {
    return false;
  }
  response.status = 304;
  return true;
}

} // namespace

struct LiveServer::Impl {
  Impl(Runs& whose, std::string secret) : runs(whose), token(std::move(secret)) {}
  Runs& runs;
  std::string token;
  int port = 0;
  httplib::Server server;

  bool is_refused(const httplib::Request& request, httplib::Response& response) const;
  void put_list(const httplib::Request& request, httplib::Response& response);
  void put_run(const httplib::Request& request, httplib::Response& response);
};

// The token comes once, in the address that the person opens; a cookie of this site alone holds it from then on.
bool LiveServer::Impl::is_refused(const httplib::Request& request, httplib::Response& response) const
{
  response.set_header("Content-Security-Policy", k_policy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  if (!is_loopback(request.get_header_value("Host"))
      || (request.has_header("Origin") && !is_loopback(request.get_header_value("Origin")))) {
    put(response, 403, message_page("Not from here", "The request does not come from this machine."));
    return true;
  }
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    put(response, 405, message_page("Only to look at", "This server changes nothing."));
    return true;
  }
  if (request.has_param("token") && is_token(request.get_param_value("token"), token)) {
    response.set_header("Set-Cookie",
                        fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(port), token));
    response.set_redirect(request.path);
    return true;
  }
  if (!is_token(cookie_in(request, cookie_name(port)), token)) {
    put(response, 401, message_page("Who are you?", "Open the address that `hone serve` printed, with its token."));
    return true;
  }
  return false;
}

void LiveServer::Impl::put_list(const httplib::Request& request, httplib::Response& response)
{
  const std::vector<LiveRun> all = runs.list();
  ListPage list;
  list.all = all.size();
  list.on_a_page = k_runs_on_a_page;
  list.first = number_in(request, "first") / k_runs_on_a_page * k_runs_on_a_page;
  list.now = now_s();
  std::string version;
  for (std::size_t i = list.first; i < std::min(all.size(), list.first + k_runs_on_a_page); ++i) {
    version += all[i].id + Runs::stamp(all[i]);
    list.runs.emplace_back(all[i], RunLine());
  }
  if (is_known(request, response, sha256(version).substr(0, 16))) {
    return;
  }
  for (auto& [run, line] : list.runs) {
    line = runs.line(run);
  }
  put(response, 200, list_page(list));
}

void LiveServer::Impl::put_run(const httplib::Request& request, httplib::Response& response)
{
  const auto run = runs.find(request.matches[1]);
  if (!run) {
    return put(response, 404, message_page("No such run", "It was removed, or its kernel.toml was changed."));
  }
  if (is_known(request, response, Runs::stamp(*run))) {
    return;
  }
  const auto view = runs.view(*run);
  if (!view) {
    return put(response, 500, message_page(run->kernel + " cannot be read", view.error().text()));
  }
  put(response, 200, run_page(*run, store::holder_of(run->workflow), *view));
}

LiveServer::LiveServer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
LiveServer::~LiveServer() = default;

Result<std::unique_ptr<LiveServer>> LiveServer::listen(Runs& runs, int port, std::string token)
{
  auto impl = std::make_unique<Impl>(runs, std::move(token));
  httplib::Server& server = impl->server;
  server.set_pre_routing_handler([&one = *impl](const httplib::Request& request, httplib::Response& response) {
    return one.is_refused(request, response) ? httplib::Server::HandlerResponse::Handled
                                             : httplib::Server::HandlerResponse::Unhandled;
  });
  server.Get("/", [&one = *impl](const httplib::Request& request, httplib::Response& response) {
    one.put_list(request, response);
  });
  server.Get(R"(/run/([A-Za-z0-9_.-]+))", [&one = *impl](const httplib::Request& request, httplib::Response& response) {
    one.put_run(request, response);
  });
  server.Get("/live.js", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(live_script()), "text/javascript; charset=utf-8");
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty() && response.status == 404) {
      response.set_content(message_page("Nothing here", "The page / lists all runs."), k_html);
    }
  });
  HONE_TRY(impl->port, listen_on_loopback(server, port, "--port"));
  return std::unique_ptr<LiveServer>(new LiveServer(std::move(impl)));
}

std::string LiveServer::address() const
{
  return fmt::format("http://127.0.0.1:{}/?token={}", m_impl->port, m_impl->token);
}

int LiveServer::port() const
{
  return m_impl->port;
}

void LiveServer::serve(std::stop_token stop)
{
  serve_until(m_impl->server, std::move(stop));
}

} // namespace hone::serve
