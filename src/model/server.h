// Models behind an HTTP server: what all protocols share. Streams, tries again with patience, changes keys, and turns
// every way in which an answer can be missing into an error that names the way out. (internal to the model room)
#pragma once

#include "model/event_stream.h"
#include "model/providers.h"
#include "util/json.h"
#include "util/random.h"

#include <chrono>
#include <memory>
#include <optional>

namespace hone {

// An answer while it comes in.
struct Reading {
  enum class End { open, complete, cut_off, refused, wants_tool };
  bool tool_offered = false; // what it is called with is the answer's text, then
  std::string text;
  End end = End::open;
  bool over = false;         // the server said that nothing follows
  std::string refusal;       // the model's own words
  std::string error;         // that the server put into the stream
  bool error_passes = false; // it is overloaded
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
  virtual void take(const StreamedEvent& event, Reading& reading) const = 0;
  virtual void take_whole(const Json& answer, Reading& reading) const = 0; // of servers that do not stream
  // Leaves out, from now on, what the server complains about; false where that is nothing that can be left out.
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
  ServerProvider(std::unique_ptr<Protocol> protocol, ModelSetting setting, ModelWorld world, RetryRules rules = {});

  std::string_view name() const override { return m_protocol->name(); }
  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override;
  ModelResult<std::vector<std::string>> models(std::stop_token stop) override;

private:
  struct Retry;
  std::string key() const { return m_setting.keys.empty() ? "" : m_setting.keys[m_key % m_setting.keys.size()]; }
  ModelResult<void> before_next_try(const struct Refusal& refusal, Retry& retry, const ModelListener& listener);
  std::expected<Reading, struct Refusal> ask_once(const ModelRequest& request, const ModelListener& listener);

  std::unique_ptr<Protocol> m_protocol;
  ModelSetting m_setting;
  ModelWorld m_world;
  RetryRules m_rules;
  Random m_random;
  std::size_t m_key = 0;
};

// The number at a key, or 0.
std::int64_t integer_at(const Json& object, const char* key);
std::string string_at(const Json& object, const char* key);

// [{"role": "user", "content": "..."}, ...], without the system text.
Json messages_of(const ModelRequest& request);

// The same headers and patience with a body to send.
HttpRequest posted(HttpRequest request, std::string url, const Json& body);

// Says that a piece of a stream is not JSON, which passes.
void broken_piece(Reading& reading);

// BASE + PATH, keeping what stands behind a '?' of the base (Azure's api-version).
std::string url_below(std::string_view base, std::string_view path);

} // namespace hone
