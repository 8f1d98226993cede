// Servers on this machine: Hone's use cases for coding agents over the Model Context Protocol, and a page for people
// that shows runs while they go on.
//
// serve() speaks MCP over standard input and output, or over HTTP on this machine alone. It knows protocol 2026-07-28,
// in which each request says its version, and 2025-11-25 and 2025-06-18, which begin with a handshake. docs/mcp.md says
// what the tools are for, docs/live-page.md what serve_live_page() shows.
#pragma once

#include "app/settings.h"
#include "util/fs.h"
#include "util/result.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::serve {

struct ServeOptions {
  std::vector<fs::path> roots; // folders that paths have to lie in, relative ones in the first; empty: the current one
  bool allow_writes = false;   // elsewhere than in folders of workflows, too
  std::optional<int> port;     // of HTTP on 127.0.0.1, 0: any free one; nothing: standard input and output
  std::string token_file; // with the token of HTTP, made where it is missing; empty: $HONE_MCP_TOKEN, else a fresh one
};

// Serves until the input ends or a stop is requested; jobs are stopped then. Flags in `settings` hold for every job.
// `tell` is called with lines for the person who started the server.
Result<void> serve(const ServeOptions& options, const app::Settings& settings, std::stop_token stop,
                   const std::function<void(std::string_view)>& tell);

struct LiveOptions {
  std::vector<fs::path> roots; // below which kernels are looked for; empty: the current folder
  int port = 0;                // on 127.0.0.1; 0: any free one
};

// A page that shows runs while they go on, until a stop is requested. It changes nothing. `tell` is given its address.
Result<void> serve_live_page(const LiveOptions& options, const app::Settings& settings, std::stop_token stop,
                             const std::function<void(std::string_view)>& tell);

} // namespace hone::serve
