// MCP over standard input and output: a message per line. (internal to the serve room)
#pragma once

#include "serve/protocol.h"

#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace hone::serve {

// Messages as they come and go on one connection, apart from file descriptors.
class PipeSession {
public:
  using Write = std::function<void(std::string_view line)>; // with its end; never called twice at once

  PipeSession(Protocol& protocol, Write write) : m_protocol(protocol), m_write(std::move(write)) {}
  // Closes the protocol, and waits until what is being answered has been.
  ~PipeSession();
  PipeSession(const PipeSession&) = delete;
  PipeSession& operator=(const PipeSession&) = delete;

  // One line. What may take long is answered on a thread of its own.
  void take(std::string_view line);
  // One that is too long to be read.
  void refuse_long_line();

private:
  struct InFlight {
    std::stop_source stop;
    std::jthread thread;
    bool ended = false;
  };
  void answer(const Message& message, Era era, std::stop_token stop);
  void answer_apart(Message message, Era era);
  void cancel(const Message& notification);
  void send(const Json& message);
  void join_ended();

  Protocol& m_protocol;
  Write m_write;
  std::string m_negotiated;
  std::mutex m_write_mutex, m_mutex;
  std::map<std::string, InFlight> m_in_flight; // by the id as JSON
};

// Until the input ends, nobody reads the output, or a stop is requested.
void serve_pipe(Protocol& protocol, int input, int output, std::stop_token stop);

} // namespace hone::serve
