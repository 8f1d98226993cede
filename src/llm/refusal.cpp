#include "llm/refusal.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace hone::llm {
namespace {

using Kind = ModelFailure::Kind;

constexpr std::size_t k_longest_message = 400;

std::string lower(std::string text)
{
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool holds_any(const std::string& text, std::initializer_list<std::string_view> words)
{
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

Refusal with_hint(Kind kind, std::string message, std::string hint)
{
  return {{kind, {std::move(message), std::move(hint), {}}}, false, false, std::nullopt};
}

bool is_about_length(const std::string& said)
{
  return holds_any(said, {"context_length", "context length", "maximum context", "context window", "prompt is too long",
                          "too many tokens", "exceeds the available context", "input is too long"});
}

bool is_about_money(const std::string& said)
{
  return holds_any(said, {"insufficient_quota", "credit balance", "billing", "exceeded your current quota"});
}

} // namespace

std::string without_keys(std::string text, const ModelSetting& setting)
{
  for (const std::string& key : setting.keys) {
    text = replace_all(std::move(text), key, "(key)");
  }
  return text;
}

std::string error_message_of(const std::string& body, const ModelSetting& setting)
{
  std::string message;
  const Json json = Json::parse(body, nullptr, false);
  const Json* error = json.is_object() && json.contains("error") ? &json["error"] : &json;
  if (error->is_object()) {
    for (const char* key : {"code", "type", "message", "detail"}) {
      if (const auto at = error->find(key); at != error->end() && at->is_string()) {
        message += (message.empty() ? "" : ": ") + at->get<std::string>();
      }
    }
  } else if (error->is_string()) {
    message = error->get<std::string>();
  }
  if (message.empty()) {
    message = body.substr(0, k_longest_message);
  }
  std::ranges::replace_if(
    message, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  message = without_keys(std::move(message), setting);
  if (message.size() > k_longest_message) {
    message = message.substr(0, k_longest_message) + "...";
  }
  return std::string(trim(message));
}

std::optional<std::chrono::milliseconds> retry_after(const HttpResponse& response,
                                                     std::chrono::system_clock::time_point now)
{
  const auto number_in = [&](const char* name) -> std::optional<double> {
    const auto header = response.headers.find(name);
    double value = 0;
    if (header == response.headers.end()
        || std::from_chars(header->second.data(), header->second.data() + header->second.size(), value).ec
             != std::errc()) {
      return std::nullopt;
    }
    return std::clamp(value, 0.0, 1e9);
  };
  if (const auto milliseconds = number_in("retry-after-ms")) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(*milliseconds));
  }
  if (const auto seconds = number_in("retry-after")) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * *seconds));
  }
  const auto header = response.headers.find("retry-after");
  std::tm date = {};
  if (header == response.headers.end() || strptime(header->second.c_str(), "%a, %d %b %Y %H:%M:%S", &date) == nullptr) {
    return std::nullopt;
  }
  const auto then = std::chrono::system_clock::from_time_t(timegm(&date));
  return std::max(std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(then - now));
}

Refusal refusal_of(const HttpResponse& response, const ModelSetting& setting, std::chrono::system_clock::time_point now)
{
  const std::string said = error_message_of(response.body, setting);
  const std::string code = lower(said);
  const std::string message =
    fmt::format("{} answered {}{}", setting.base_url, response.status, said.empty() ? "" : fmt::format(" ({})", said));
  if (is_about_money(code) || response.status == 402) {
    return with_hint(Kind::configuration, message,
                     "nothing is left of what was paid for: see the provider's billing page");
  }
  if ((response.status == 400 || response.status == 413 || response.status == 422) && is_about_length(code)) {
    return with_hint(
      Kind::configuration, message,
      "the request is longer than the model's context: choose a model with a longer one, or raise it where "
      "you serve it (llama.cpp: --ctx-size, vLLM: --max-model-len, Ollama: num_ctx)");
  }
  switch (response.status) {
  case 401:
  case 403: {
    Refusal refusal =
      with_hint(Kind::configuration, message,
                fmt::format("the key from {} is not accepted there: check that it belongs to this provider "
                            "and was not withdrawn",
                            setting.key_origin));
    refusal.other_key = true;
    return refusal;
  }
  case 404:
    return with_hint(Kind::configuration, message,
                     fmt::format("there is no model \"{}\" there, or the address is wrong: `hone doctor --model {}/{}` "
                                 "lists the models",
                                 setting.model, setting.provider, setting.model));
  case 408:
  case 409:
  case 425:
  case 429: {
    Refusal refusal = with_hint(Kind::infrastructure, message, "wait, or ask for fewer answers at a time");
    refusal.again = true;
    refusal.other_key = response.status == 429;
    refusal.after = retry_after(response, now);
    return refusal;
  }
  default:
    break;
  }
  if (response.status >= 500) {
    Refusal refusal = with_hint(Kind::infrastructure, message, "the server is at fault: try again later");
    refusal.again = true;
    refusal.after = retry_after(response, now);
    return refusal;
  }
  if (response.status >= 300 && response.status < 400) {
    return with_hint(Kind::configuration, message, "the address leads elsewhere: use the one it leads to");
  }
  return with_hint(Kind::configuration, message, "the server does not understand the request: is the address right?");
}

Refusal refusal_of(const HttpFailure& failure, const ModelSetting& setting)
{
  if (failure.stopped) {
    return with_hint(Kind::stopped, "stopped", "");
  }
  Refusal refusal =
    with_hint(Kind::infrastructure, without_keys(fmt::format("{}: {}", setting.base_url, failure.reason), setting),
              failure.unreachable ? "is the network up, the address right, the server running?"
                                  : "the connection broke before the answer was complete");
  refusal.again = true;
  return refusal;
}

} // namespace hone::llm
