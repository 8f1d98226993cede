#include "serve/serve.h"

#include "serve/live/live_server.h"
#include "serve/pipe.h"
#include "serve/web.h"
#include "util/stop_request.h"

#include <fmt/format.h>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace hone::serve {

namespace {

// Standard output for messages alone: whatever else is written there goes to standard error.
Result<int> take_output()
{
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return fail("standard output or standard error is closed", "start `hone mcp` with both, as MCP clients do");
  }
  return output;
}

Result<void> serve_streams(Protocol& protocol, std::stop_token stop)
{
  HONE_TRY(const int output, take_output());
  serve_pipe(protocol, STDIN_FILENO, output, std::move(stop));
  ::close(output);
  return {};
}

Result<void> serve_web(Protocol& protocol, const ServeOptions& options, std::stop_token stop,
                       const std::function<void(std::string_view)>& tell)
{
  HONE_TRY(const Token token, web_token(options.token_file));
  HONE_TRY(const auto server, WebServer::listen(protocol, *options.port, token.text));
  tell(fmt::format("MCP at http://127.0.0.1:{}/mcp", server->port()));
  if (token.fresh) {
    tell("token: " + token.text);
  }
  server->serve(std::move(stop));
  return {};
}

} // namespace

Result<void> serve(const ServeOptions& options, const app::Settings& settings, std::stop_token stop,
                   const std::function<void(std::string_view)>& tell)
{
  HONE_TRY(Roots roots, Roots::open(options.roots));
  std::signal(SIGPIPE, SIG_IGN); // a client that is gone shows when it is written to
  Workplace place(std::move(roots), options.allow_writes, settings);
  Protocol protocol(place);
  const Result<void> served =
    options.port ? serve_web(protocol, options, std::move(stop), tell) : serve_streams(protocol, std::move(stop));
  request_stop(); // for what looks at no token: the process ends
  return served;
}

Result<void> serve_live_page(const LiveOptions& options, const app::Settings& settings, std::stop_token stop,
                             const std::function<void(std::string_view)>& tell)
{
  HONE_TRY(Roots roots, Roots::open(options.roots));
  std::signal(SIGPIPE, SIG_IGN);
  HONE_TRY(const std::string token, fresh_token());
  Runs runs(std::move(roots), settings);
  HONE_TRY(const auto server, LiveServer::listen(runs, options.port, token));
  tell(server->address());
  server->serve(std::move(stop));
  return {};
}

} // namespace hone::serve
