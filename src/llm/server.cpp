#include "llm/server.h"

#include "llm/refusal.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::llm {
namespace {

using Kind = ModelFailure::Kind;
using Clock = std::chrono::steady_clock;

constexpr int k_most_adaptations = 6;
// A server that counted fewer tokens than one per so many characters did not read all of the prompt.
constexpr std::int64_t k_most_characters_per_token = 12;
constexpr std::int64_t k_too_short_to_tell = 2000; // tokens, by estimate

Refusal refuse(Kind kind, std::string message, std::string hint, bool again = false)
{
  return {{kind, {std::move(message), std::move(hint), {}}}, again, false, std::nullopt};
}

std::int64_t answer_tokens_of(const ModelAnswer& answer)
{
  std::int64_t tokens = estimate_tokens(answer.text) + estimate_tokens(answer.reasoning);
  for (const ToolCall& call : answer.calls) {
    tokens += estimate_tokens(call.name) + estimate_tokens(call.arguments);
  }
  return tokens;
}

// Nothing but comments, with which servers and proxies keep a stream open.
bool says_nothing(std::string_view text)
{
  return std::ranges::all_of(split(text, '\n'), [](std::string_view line) {
    const std::string_view rest = trim(line);
    return rest.empty() || rest.front() == ':';
  });
}

// Why a complete transfer is no answer.
std::optional<Refusal> fault_of(const StreamedAnswer& reading, const ModelRequest& request, const ModelSetting& setting)
{
  if (!reading.error.empty()) {
    return refuse(reading.error_passes ? Kind::infrastructure : Kind::configuration,
                  fmt::format("{} broke off: {}", setting.base_url, without_keys(reading.error, setting)),
                  "try again later", reading.error_passes);
  }
  if (reading.end == StreamedAnswer::End::refused) {
    return refuse(Kind::answer,
                  fmt::format("{} refused to answer{}", request.model,
                              reading.refusal.empty() ? "" : ": " + without_keys(reading.refusal, setting)),
                  "another sample may be answered; another model may be less strict");
  }
  if (reading.end == StreamedAnswer::End::open && !reading.over) {
    return refuse(Kind::infrastructure, fmt::format("{} ended the stream in the middle of an answer", setting.base_url),
                  "the server, or a proxy before it, closes connections too early", true);
  }
  if (reading.end == StreamedAnswer::End::wants_tool) {
    return refuse(Kind::answer, fmt::format("{} asked for a tool, and none was offered", request.model),
                  "another sample may be answered; serve the model without tools");
  }
  if (trim(reading.text).empty() && reading.calls.empty()) {
    return reading.end == StreamedAnswer::End::cut_off
             ? refuse(Kind::answer,
                      fmt::format("{} used all {} tokens of its answer before it said anything", request.model,
                                  request.most_tokens),
                      "allow longer answers, or ask for less reasoning")
             : refuse(Kind::answer, fmt::format("{} said nothing", request.model), "another sample may be answered");
  }
  const std::int64_t estimate = estimate_prompt_tokens(request);
  if (reading.usage && !reading.usage->estimated && estimate > k_too_short_to_tell
      && reading.usage->prompt_tokens * k_most_characters_per_token < 4 * estimate) {
    return refuse(
      Kind::configuration,
      fmt::format("{} read {} tokens of a prompt of about {}: its context is too short, and what did not fit "
                  "was dropped",
                  request.model, reading.usage->prompt_tokens, estimate),
      "raise the context where you serve the model (Ollama: num_ctx; llama.cpp: --ctx-size)");
  }
  return std::nullopt;
}

} // namespace

struct ServerProvider::Retry {
  int tries = 0;
  std::size_t keys_tried = 1;
  std::chrono::milliseconds waited{0};
};

ServerProvider::ServerProvider(std::unique_ptr<Protocol> protocol, ModelSetting setting, ModelServices world,
                               RetryRules rules)
  : m_protocol(std::move(protocol)), m_setting(std::move(setting)), m_world(std::move(world)), m_rules(rules),
    m_random(fresh_seed())
{
}

ModelResult<void> ServerProvider::before_next_try(const Refusal& refusal, Retry& retry, const ModelListener& listener)
{
  if (refusal.other_key && retry.keys_tried < m_setting.keys.size()) {
    ++retry.keys_tried;
    ++m_key;
    return {};
  }
  ++retry.tries;
  if (!refusal.again || retry.tries >= m_rules.most_tries) {
    return std::unexpected(refusal.failure);
  }
  retry.keys_tried = 1;
  const auto doubled = m_rules.first * (std::int64_t{1} << std::min(retry.tries - 1, 20));
  const auto bounded = std::min<std::chrono::milliseconds>(doubled, m_rules.longest);
  const auto drawn = std::chrono::milliseconds(
    bounded.count() / 2 + static_cast<std::int64_t>(m_random.uniform() * static_cast<double>(bounded.count()) / 2));
  const std::chrono::milliseconds time = std::max(refusal.after.value_or(std::chrono::milliseconds(0)), drawn);
  if (retry.waited + time > m_rules.patience) {
    ModelFailure failure = refusal.failure;
    failure.error.message += fmt::format("; it asks to wait {} s", time.count() / 1000);
    return std::unexpected(std::move(failure));
  }
  if (listener.progress) {
    listener.progress(
      fmt::format("waiting {:.1f} s: {}", static_cast<double>(time.count()) / 1000, refusal.failure.error.message));
  }
  retry.waited += time;
  if (!m_world.pause->wait(time, listener.stop)) {
    return std::unexpected(ModelFailure{Kind::stopped, {"stopped", "", {}}});
  }
  return {};
}

std::expected<StreamedAnswer, Refusal> ServerProvider::ask_once(const ModelRequest& request,
                                                                const ModelListener& listener)
{
  StreamedAnswer reading;
  reading.schema_as_tool = !request.schema.empty();
  EventStream events;
  std::string whole; // of a server that does not stream
  bool streams = false;
  const auto take = [&](std::string_view bytes) {
    for (const StreamedEvent& event : events.feed(bytes)) {
      streams = true;
      const std::size_t known = reading.text.size();
      m_protocol->take(event, reading);
      if (listener.text && reading.text.size() > known) {
        listener.text(std::string_view(reading.text).substr(known));
      }
    }
    if (!streams) {
      whole += bytes;
    }
  };
  const auto response = m_world.http->send(m_protocol->question(request, m_setting, key()), take, listener.stop);
  if (!response) {
    return std::unexpected(refusal_of(response.error(), m_setting));
  }
  if (response->status != 200) {
    return std::unexpected(refusal_of(*response, m_setting, std::chrono::system_clock::now()));
  }
  if (!streams) {
    if (says_nothing(whole)) {
      return std::unexpected(refuse(Kind::configuration,
                                    fmt::format("{} broke off before the first word of an answer to about {} tokens",
                                                m_setting.base_url, estimate_prompt_tokens(request)),
                                    "its log says why; often the context with which it serves the model is too short "
                                    "(llama.cpp: --ctx-size, Ollama: "
                                    "num_ctx)"));
    }
    const Json answer = Json::parse(whole, nullptr, false);
    if (!answer.is_object()) {
      return std::unexpected(refuse(Kind::configuration,
                                    fmt::format("{} answered with something that is no answer of a model: {}",
                                                m_setting.base_url, error_message_of(whole, m_setting)),
                                    "is the address that of a model server?"));
    }
    m_protocol->take_whole(answer, reading);
    reading.over = true;
    if (listener.text && !reading.text.empty()) {
      listener.text(reading.text);
    }
  }
  if (request.tools.empty() && !reading.calls.empty()) { // nobody would carry them out
    reading.calls.clear();
    reading.end = reading.text.empty() ? StreamedAnswer::End::wants_tool : reading.end;
  }
  if (auto fault = fault_of(reading, request, m_setting)) {
    return std::unexpected(std::move(*fault));
  }
  return reading;
}

ModelResult<ModelAnswer> ServerProvider::ask(const ModelRequest& request, const ModelListener& listener)
{
  const auto begin = Clock::now();
  Retry retry;
  int adaptations = 0;
  for (;;) {
    auto reading = ask_once(request, listener);
    if (reading) {
      ModelAnswer answer;
      answer.text = std::move(reading->text);
      answer.calls = std::move(reading->calls);
      answer.reasoning = std::move(reading->reasoning);
      answer.finish =
        reading->end == StreamedAnswer::End::cut_off ? ModelAnswer::Finish::cut_off : ModelAnswer::Finish::complete;
      answer.usage =
        reading->usage.value_or(ModelUsage{estimate_prompt_tokens(request), 0, answer_tokens_of(answer), true});
      answer.model = reading->model.empty() ? request.model : reading->model;
      answer.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      return answer;
    }
    const Refusal& refusal = reading.error();
    if (refusal.failure.kind == Kind::configuration && adaptations < k_most_adaptations
        && m_protocol->adapt(refusal.failure.error.message)) {
      ++adaptations;
      continue;
    }
    if (auto next = before_next_try(refusal, retry, listener); !next) {
      return std::unexpected(std::move(next.error()));
    }
  }
}

ModelResult<std::vector<std::string>> ServerProvider::models(std::stop_token stop)
{
  const auto response = m_world.http->send(m_protocol->list(m_setting, key()), {}, stop);
  if (!response) {
    return std::unexpected(refusal_of(response.error(), m_setting).failure);
  }
  if (response->status != 200) {
    return std::unexpected(refusal_of(*response, m_setting, std::chrono::system_clock::now()).failure);
  }
  std::vector<std::string> names;
  const Json answer = Json::parse(response->body, nullptr, false);
  if (answer.is_object() && answer.contains("data") && answer["data"].is_array()) {
    for (const Json& model : answer["data"]) {
      if (std::string name = string_at(model, "id"); !name.empty()) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

std::int64_t integer_at(const Json& object, const char* key)
{
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() && at->is_number() ? at->get<std::int64_t>() : 0;
}

std::string string_at(const Json& object, const char* key)
{
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

HttpRequest posted(HttpRequest request, std::string url, const Json& body)
{
  request.method = "POST";
  request.url = std::move(url);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  return request;
}

void broken_piece(StreamedAnswer& reading)
{
  reading.error = "a piece of the stream is not JSON";
  reading.error_passes = true;
}

std::string url_below(std::string_view base, std::string_view path)
{
  const std::size_t query = base.find('?');
  std::string_view head = base.substr(0, query);
  while (head.ends_with('/')) {
    head.remove_suffix(1);
  }
  return std::string(head) + std::string(path)
         + std::string(query == std::string_view::npos ? std::string_view() : base.substr(query));
}

} // namespace hone::llm
