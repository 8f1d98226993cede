#include "serve/rpc.h"

namespace hone::serve {

namespace {

bool is_id(const Json& id)
{
  return id.is_string() || id.is_number_integer();
}

std::unexpected<Unreadable> unreadable(RpcCode code, std::string message, Json id = nullptr)
{
  return std::unexpected(Unreadable{std::move(id), {code, std::move(message), nullptr}});
}

} // namespace

std::expected<Message, Unreadable> read_message(std::string_view text)
{
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return unreadable(RpcCode::parse_error, "this is not JSON: each message is one JSON object on one line");
  }
  if (!json.is_object()) {
    return unreadable(RpcCode::invalid_request, json.is_array() ? "batches are not taken: send one message at a time"
                                                                : "a message is a JSON object");
  }
  const bool has_id = json.contains("id");
  const Json id = has_id && is_id(json["id"]) ? json["id"] : Json(nullptr);
  if (!json.contains("jsonrpc") || json["jsonrpc"] != "2.0") {
    return unreadable(RpcCode::invalid_request, "a message has \"jsonrpc\": \"2.0\"", id);
  }
  if (has_id && id.is_null()) {
    return unreadable(RpcCode::invalid_request, "an id is a text or a whole number");
  }
  Message message;
  message.id = id;
  if (!json.contains("method")) {
    if (!json.contains("result") && !json.contains("error")) {
      return unreadable(RpcCode::invalid_request, "a request names its method", id);
    }
    message.kind = Message::Kind::response;
    return message;
  }
  if (!json["method"].is_string()) {
    return unreadable(RpcCode::invalid_request, "a method's name is a text", id);
  }
  message.kind = has_id ? Message::Kind::request : Message::Kind::notification;
  message.method = json["method"].get<std::string>();
  if (json.contains("params")) {
    if (!json["params"].is_object()) {
      return unreadable(RpcCode::invalid_params, "params is an object", id);
    }
    message.params = json["params"];
  }
  return message;
}

Json result_message(const Json& id, Json result)
{
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, const RpcError& error)
{
  Json body{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) {
    body["data"] = error.data;
  }
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}};
}

Json notification_message(std::string_view method, Json params)
{
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string to_line(const Json& message)
{
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace hone::serve
