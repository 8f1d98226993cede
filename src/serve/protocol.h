// MCP on top of JSON-RPC: which protocol a request speaks, and what its methods answer. (internal to the serve room)
#pragma once

#include "serve/rpc.h"
#include "serve/tool.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::serve {

// Protocols that begin with `initialize`, and those whose requests each say their version.
enum class Era { handshake, stateless };

// Newest first.
std::vector<std::string> supported_versions();

// What a transport knows of a message beside its text.
struct Carrier {
  bool over_http = false;
  std::string negotiated; // on a pipe, the version of the handshake; empty: none yet
  std::optional<std::string> version_header, method_header, name_header; // of HTTP
  bool duplicated_header = false;
};

class Protocol {
public:
  explicit Protocol(Workplace& place) : m_place(place) {}

  // Which era a request speaks, or why it cannot be answered.
  RpcResult<Era> era_of(const Message& message, const Carrier& carrier) const;
  // Answers a request of that era; tools may take half a minute.
  RpcResult<Json> answer(const Message& message, Era era, const Exchange& exchange) const;
  // The client is gone: jobs stop, so that calls that wait for them come to an end.
  void close() const { m_place.jobs().close(); }
  // The version that `initialize` agrees on.
  static std::string agreed_version(const Message& initialize);

private:
  RpcResult<Json> initialize(const Message& message) const;
  RpcResult<Json> call_tool(const Message& message, const Exchange& exchange) const;
  Workplace& m_place;
};

// Sends progress where the request asks for it; null else.
std::function<void(double, const std::string&)> progress_sender(const Message& message, std::function<void(Json)> send);
// Whether answering may take long: then others should not wait for it.
bool may_take_long(const Message& message);
// "=?base64?...?=" becomes what it stands for; nothing where that is damaged.
std::optional<std::string> decoded_header(const std::string& value);

} // namespace hone::serve
