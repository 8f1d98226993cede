#include "serve/protocol.h"

#include "serve/prompts.h"
#include "serve/resources.h"
#include "util/text.h"
#include "util/version.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace hone::serve {

namespace {

constexpr const char* k_stateless_version = "2026-07-28";
constexpr std::array k_handshake_versions = {"2025-11-25", "2025-06-18"}; // newest first

constexpr const char* k_version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* k_capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* k_server_key = "io.modelcontextprotocol/serverInfo";

constexpr int k_fresh_for_ms = 5000; // of what may change: kernels and records
constexpr int k_constant_for_ms = 3'600'000;

constexpr const char* k_instructions =
  "Hone makes a correct compute kernel fast and proves every result. Way of work: list_kernels, then read_kernel. "
  "Either "
  "write_candidate and run_candidate (wrong ones come back with the place of the mismatch), or apply_step with steps "
  "of "
  "list_steps, or optimize, which climbs by itself. profile_candidate says what bounds a candidate, compare measures "
  "against others and libraries, ship exports the best as plain C. Calls that take long return a job: look at it with "
  "job. "
  "One job runs at a time, so that times can be believed.";

bool is_handshake_version(const std::string& version)
{
  return std::ranges::find(k_handshake_versions, version) != k_handshake_versions.end();
}

Json server_info()
{
  return {{"name", "hone"}, {"title", "Hone"}, {"version", version_number()}};
}

Json capabilities()
{
  return {{"tools", Json::object()}, {"resources", Json::object()}, {"prompts", Json::object()}};
}

std::unexpected<RpcError> refuse(RpcCode code, std::string message, Json data = nullptr)
{
  return std::unexpected(RpcError{code, std::move(message), std::move(data)});
}

std::unexpected<RpcError> unsupported(const std::string& requested)
{
  return refuse(RpcCode::unsupported_version, "Unsupported protocol version",
                {{"supported", supported_versions()}, {"requested", requested}});
}

const Json* meta_of(const Message& message)
{
  const auto meta = message.params.find("_meta");
  return meta == message.params.end() || !meta->is_object() ? nullptr : &*meta;
}

// The member that the header Mcp-Name repeats; null: none.
const char* name_member(const std::string& method)
{
  return method == "tools/call" || method == "prompts/get" ? "name" : method == "resources/read" ? "uri" : nullptr;
}

RpcResult<void> check_headers(const Message& message, const Carrier& carrier, const Json& version)
{
  if (carrier.duplicated_header) {
    return refuse(RpcCode::header_mismatch, "a header of the protocol appears more than once");
  }
  if (!carrier.version_header || version != *carrier.version_header) {
    return refuse(RpcCode::header_mismatch, "the header MCP-Protocol-Version does not say what the body's _meta says");
  }
  if (!carrier.method_header || *carrier.method_header != message.method) {
    return refuse(RpcCode::header_mismatch, "the header Mcp-Method does not name the body's method");
  }
  const char* member = name_member(message.method);
  if (member != nullptr && message.params.contains(member)) {
    const auto name = carrier.name_header ? decoded_header(*carrier.name_header) : std::nullopt;
    if (!name || message.params[member] != *name) {
      return refuse(RpcCode::header_mismatch,
                    fmt::format("the header Mcp-Name does not say what the body's '{}' says", member));
    }
  }
  return {};
}

RpcResult<Era> stateless_era(const Message& message, const Carrier& carrier)
{
  const Json* meta = meta_of(message);
  if (meta == nullptr || !meta->contains(k_version_key) || !meta->contains(k_capabilities_key)) {
    return refuse(
      RpcCode::invalid_params,
      fmt::format("params._meta must hold '{}' and '{}'; or begin with initialize, as protocols up to {} do",
                  k_version_key, k_capabilities_key, k_handshake_versions.front()));
  }
  const Json& version = (*meta)[k_version_key];
  if (carrier.over_http) {
    if (auto checked = check_headers(message, carrier, version); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  if (!version.is_string()) {
    return refuse(RpcCode::invalid_params, "the protocol version must be a text");
  }
  if (version != k_stateless_version) {
    return unsupported(version.get<std::string>());
  }
  return Era::stateless;
}

// What lists and reads say of how long they may be kept.
bool is_kept(const std::string& method)
{
  return method.ends_with("/list") || method == "resources/read" || method == "server/discover";
}

bool is_constant(const std::string& method)
{
  return method == "tools/list" || method == "prompts/list" || method == "resources/templates/list"
         || method == "server/discover";
}

Json finished(Json result, const std::string& method)
{
  result["resultType"] = "complete";
  result["_meta"][k_server_key] = server_info();
  if (is_kept(method)) {
    result["ttlMs"] = is_constant(method) ? k_constant_for_ms : k_fresh_for_ms;
    result["cacheScope"] = "private";
  }
  return result;
}

Json tools_list()
{
  Json list = Json::array();
  for (const Tool& tool : tools()) {
    list.push_back(tool_json(tool));
  }
  return {{"tools", std::move(list)}};
}

Json tool_result(const ToolAnswer& answer)
{
  return {{"content", Json::array({{{"type", "text"}, {"text", to_line(answer.content)}}})},
          {"structuredContent", answer.content},
          {"isError", answer.is_error}};
}

ToolAnswer failure(const Error& error)
{
  return {{{"error", error_json(error)}}, true};
}

} // namespace

std::vector<std::string> supported_versions()
{
  std::vector<std::string> versions{k_stateless_version};
  versions.insert(versions.end(), k_handshake_versions.begin(), k_handshake_versions.end());
  return versions;
}

std::optional<std::string> decoded_header(const std::string& value)
{
  constexpr std::string_view k_begin = "=?base64?", k_end = "?=";
  if (!value.starts_with(k_begin) || !value.ends_with(k_end) || value.size() < k_begin.size() + k_end.size()) {
    return value;
  }
  const std::string coded = value.substr(k_begin.size(), value.size() - k_begin.size() - k_end.size());
  std::string text(coded.size() / 4 * 3 + 1, '\0');
  const int length =
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(coded.data()),
                    static_cast<int>(coded.size()));
  const auto padding =
    static_cast<int>(std::ranges::count(coded.substr(coded.size() - std::min<std::size_t>(2, coded.size())), '='));
  if (length < padding || coded.size() % 4 != 0) {
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(length - padding));
  return text;
}

RpcResult<Era> Protocol::era_of(const Message& message, const Carrier& carrier) const
{
  const Json* meta = meta_of(message);
  const bool says_version = meta != nullptr && meta->contains(k_version_key);
  if (carrier.over_http) {
    const std::string header = carrier.version_header.value_or("");
    if (says_version || (!header.empty() && !is_handshake_version(header) && message.method != "initialize")) {
      return says_version || header == k_stateless_version ? stateless_era(message, carrier)
                                                           : RpcResult<Era>(unsupported(header));
    }
    return Era::handshake; // without a session: each request stands for itself
  }
  const bool is_free = message.method == "initialize" || message.method == "ping";
  if (!says_version && (is_free || !carrier.negotiated.empty())) {
    return Era::handshake;
  }
  return stateless_era(message, carrier);
}

std::string Protocol::agreed_version(const Message& initialize)
{
  const auto asked = initialize.params.find("protocolVersion");
  const bool known =
    asked != initialize.params.end() && asked->is_string() && is_handshake_version(asked->get<std::string>());
  return known ? asked->get<std::string>() : k_handshake_versions.front();
}

RpcResult<Json> Protocol::initialize(const Message& message) const
{
  return Json{{"protocolVersion", agreed_version(message)},
              {"capabilities", capabilities()},
              {"serverInfo", server_info()},
              {"instructions", k_instructions}};
}

RpcResult<Json> Protocol::call_tool(const Message& message, const Exchange& exchange) const
{
  const auto name = message.params.find("name");
  if (name == message.params.end() || !name->is_string()) {
    return refuse(RpcCode::invalid_params, "params.name must name a tool");
  }
  const Tool* tool = find_tool(name->get<std::string>());
  if (tool == nullptr) {
    return refuse(RpcCode::invalid_params, fmt::format("Unknown tool: {}; tools/list names those there are",
                                                       printable(name->get<std::string>())));
  }
  const Json arguments = message.params.value("arguments", Json::object());
  if (!arguments.is_object()) {
    return refuse(RpcCode::invalid_params, "params.arguments must be an object");
  }
  // What is wrong in arguments is told as a tool's error, so that a model reads it and tries again.
  if (const auto checked = check_arguments(tool->input, arguments); !checked) {
    return tool_result(failure(checked.error()));
  }
  const Result<ToolAnswer> answer = tool->call({m_place, arguments, exchange});
  return tool_result(answer ? *answer : failure(answer.error()));
}

RpcResult<Json> Protocol::answer(const Message& message, Era era, const Exchange& exchange) const
{
  const std::string& method = message.method;
  const RpcCode no_resource = era == Era::handshake ? RpcCode::resource_not_found : RpcCode::invalid_params;
  RpcResult<Json> result = [&]() -> RpcResult<Json> {
    if (method == "initialize" && era == Era::handshake) {
      return initialize(message);
    }
    if (method == "ping" && era == Era::handshake) {
      return Json::object();
    }
    if (method == "server/discover" && era == Era::stateless) {
      return Json{{"supportedVersions", supported_versions()},
                  {"capabilities", capabilities()},
                  {"instructions", k_instructions}};
    }
    if (method == "tools/list") {
      return tools_list();
    }
    if (method == "tools/call") {
      return call_tool(message, exchange);
    }
    if (method == "resources/list") {
      return resources_list(m_place);
    }
    if (method == "resources/templates/list") {
      return resource_templates();
    }
    if (method == "resources/read") {
      return read_resource(m_place, message.params, no_resource);
    }
    if (method == "prompts/list") {
      return prompts_list();
    }
    if (method == "prompts/get") {
      return get_prompt(message.params);
    }
    return refuse(RpcCode::method_not_found, "Method not found: " + printable(method.substr(0, 80)));
  }();
  return result && era == Era::stateless ? RpcResult<Json>(finished(std::move(*result), method)) : result;
}

std::function<void(double, const std::string&)> progress_sender(const Message& message, std::function<void(Json)> send)
{
  const Json* meta = meta_of(message);
  if (meta == nullptr || !meta->contains("progressToken")) {
    return {};
  }
  return [token = (*meta)["progressToken"], send = std::move(send)](double progress, const std::string& text) {
    send(notification_message("notifications/progress",
                              {{"progressToken", token}, {"progress", progress}, {"message", text}}));
  };
}

bool may_take_long(const Message& message)
{
  return message.method == "tools/call" || message.method.starts_with("resources/");
}

} // namespace hone::serve
