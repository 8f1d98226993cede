// JSON-RPC 2.0 as MCP uses it: messages in, answers and notifications out. (internal to the serve room)
#pragma once

#include "util/json.h"

#include <expected>
#include <string>
#include <string_view>

namespace hone::serve {

enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal = -32603,
  resource_not_found = -32002, // of protocols with a handshake; later ones say invalid_params
  header_mismatch = -32020,
  unsupported_version = -32022,
};

struct RpcError {
  RpcCode code = RpcCode::internal;
  std::string message;
  Json data = nullptr;
};
template <class T> using RpcResult = std::expected<T, RpcError>;

struct Message {
  enum class Kind { request, notification, response };
  Kind kind = Kind::request;
  Json id = nullptr; // a number or a text
  std::string method;
  Json params = Json::object();
};

// What cannot be read, with the id where that could.
struct Unreadable {
  Json id = nullptr;
  RpcError error;
};

std::expected<Message, Unreadable> read_message(std::string_view text);

Json result_message(const Json& id, Json result);
Json error_message(const Json& id, const RpcError& error);
Json notification_message(std::string_view method, Json params);
// One line without its end; bytes that are no UTF-8 are replaced.
std::string to_line(const Json& message);

} // namespace hone::serve
