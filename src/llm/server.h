// Models behind an HTTP server: what all protocols share. Streams answers, retries with backoff, rotates keys, and
// turns each kind of failure into an error with a hint. (internal to the model room)
#pragma once

#include "llm/event_stream.h"
#include "llm/providers.h"
#include "util/json.h"
#include "util/random.h"

#include <chrono>
#include <memory>
#include <optional>

namespace hone::llm {

// An answer while it is streamed.
struct StreamedAnswer {
  enum class End { open, complete, cut_off, refused, wants_tool };
  bool schema_as_tool = false; // then the tool's argument is the answer's text
  std::string text;
  std::string reasoning;
  std::vector<ToolCall> calls;
  End end = End::open;
  bool over = false;         // the server ended the stream
  std::string refusal;       // the model's own words
  std::string error;         // that the server put into the stream
  bool error_passes = false; // the error is temporary: overload
  std::optional<ModelUsage> usage;
  std::string model;
};

class Protocol {
public:
  virtual ~Protocol() = default;
  virtual std::string_view name() const = 0;
  virtual HttpRequest question(const ModelRequest& request, const ModelSetting& setting,
                               const std::string& key) const = 0;
  virtual HttpRequest list(const ModelSetting& setting, const std::string& key) const = 0;
  virtual void take(const StreamedEvent& event, StreamedAnswer& reading) const = 0;
  virtual void take_whole(const Json& answer, StreamedAnswer& reading) const = 0; // of servers that do not stream
  // From now on omits the request field that the server complains about; false if there is none that can be omitted.
  virtual bool adapt(const std::string& complaint) = 0;
};

struct RetryRules {
  int most_tries = 8;
  std::chrono::milliseconds first{1'000}; // doubled each time, less up to a half by chance
  std::chrono::milliseconds longest{60'000};
  std::chrono::milliseconds patience{900'000}; // all waiting together
};

class ServerProvider final : public ModelProvider {
public:
  ServerProvider(std::unique_ptr<Protocol> protocol, ModelSetting setting, ModelServices world, RetryRules rules = {});

  std::string_view name() const override { return m_protocol->name(); }
  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override;
  ModelResult<std::vector<std::string>> models(std::stop_token stop) override;

private:
  struct Retry;
  std::string key() const { return m_setting.keys.empty() ? "" : m_setting.keys[m_key % m_setting.keys.size()]; }
  ModelResult<void> before_next_try(const struct Refusal& refusal, Retry& retry, const ModelListener& listener);
  std::expected<StreamedAnswer, struct Refusal> ask_once(const ModelRequest& request, const ModelListener& listener);

  std::unique_ptr<Protocol> m_protocol;
  ModelSetting m_setting;
  ModelServices m_world;
  RetryRules m_rules;
  Random m_random;
  std::size_t m_key = 0;
};

// The number at a key, or 0.
std::int64_t integer_at(const Json& object, const char* key);
std::string string_at(const Json& object, const char* key);

// The same headers and patience with a body to send.
HttpRequest posted(HttpRequest request, std::string url, const Json& body);

// Says that a piece of a stream is not JSON, which passes.
void broken_piece(StreamedAnswer& reading);

// BASE + PATH, keeping what stands behind a '?' of the base (Azure's api-version).
std::string url_below(std::string_view base, std::string_view path);

} // namespace hone::llm
