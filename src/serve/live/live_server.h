// A page on this machine that shows runs while they go on. It changes nothing.
#pragma once

#include "serve/live/runs.h"

#include <memory>
#include <stop_token>
#include <string>

namespace hone::serve {

class LiveServer {
public:
  // Listens on 127.0.0.1; `port` 0: any free one. Who has no token sees nothing.
  static Result<std::unique_ptr<LiveServer>> listen(Runs& runs, int port, std::string token);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  std::string address() const; // with the token: to open once; a cookie holds it then
  int port() const;
  void serve(std::stop_token stop); // until a stop is requested

private:
  struct Impl;
  explicit LiveServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

} // namespace hone::serve
