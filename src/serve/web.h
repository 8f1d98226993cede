// MCP over HTTP on this machine alone, for who knows the token. (internal to the serve room)
#pragma once

#include "serve/protocol.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace hone::serve {

class WebServer {
public:
  // Listens on 127.0.0.1; `port` 0: any free one.
  static Result<std::unique_ptr<WebServer>> listen(Protocol& protocol, int port, std::string token);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  int port() const;
  // Until a stop is requested.
  void serve(std::stop_token stop);

private:
  struct Impl;
  explicit WebServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

// Compares in a time that does not tell how much of it is right.
bool is_token(std::string_view given, std::string_view token);
// Of "http://127.0.0.1:8080", "localhost:80", "[::1]:80": whether that is this machine.
bool is_loopback(std::string_view host_or_origin);

// From the file, made with a fresh token where it is missing; without a file from $HONE_MCP_TOKEN; else a fresh one.
struct Token {
  std::string text;
  bool fresh = false; // nobody else knows it yet
};
Result<Token> web_token(const std::string& file);
Result<std::string> fresh_token(); // 64 hexadecimal digits

} // namespace hone::serve
