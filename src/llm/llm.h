// Language models behind one interface: a request is text, an answer is text and what it cost. Knows providers,
// streams, retries and prices; nothing of kernels.
#pragma once

#include "util/result.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::llm {

// A tool that a model may ask for while it answers.
struct ModelTool {
  std::string name, description;
  std::string parameters; // JSON schema of the arguments, an object
  bool operator==(const ModelTool&) const = default;
};

struct ToolCall {
  std::string id; // as the model's server calls it; the result names it
  std::string name;
  std::string arguments; // JSON, as the model wrote it: it need not be valid
  bool operator==(const ToolCall&) const = default;
};

struct ModelMessage {
  enum class Role { user, assistant, tool };
  Role role = Role::user;
  std::string text;
  std::vector<ToolCall> calls = {}; // of an assistant
  std::string call = {};            // of a tool: the id of the call that the text is the result of
  bool operator==(const ModelMessage&) const = default;
};

std::string_view name_of(ModelMessage::Role role); // "user", "assistant", "tool"

struct ModelRequest {
  std::string model;  // as its provider knows it
  std::string system; // what stays the same from request to request: providers charge less for what they have seen
  std::vector<ModelMessage> messages; // user and assistant in turn; the last is the user's, or the results of calls
  std::int64_t most_tokens = 8192;    // of the answer
  std::optional<double> temperature;
  std::vector<std::string> stop; // the answer ends before any of these
  std::string schema;            // JSON Schema of the answer, where the server can hold a model to one; empty: any text
  std::vector<ModelTool> tools;  // none: the model answers at once. Not together with a schema
  std::optional<std::int64_t> seed; // of the server's random numbers, where it takes one
  int sample = 0;                   // which of several answers to the same question; never sent

  // SHA-256 of all of it: what an answer is filed under.
  std::string hash() const;
};

struct ModelUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0; // of these, what the provider had seen before
  std::int64_t answer_tokens = 0; // reasoning that is not shown included
  bool estimated = false;         // the provider did not say: four characters to a token
  bool operator==(const ModelUsage&) const = default;
};

struct ModelAnswer {
  enum class Finish { complete, cut_off }; // cut_off: `most_tokens` were not enough
  std::string text;                        // may be empty where there are calls
  std::vector<ToolCall> calls = {};
  std::string reasoning = {}; // that the server shows apart from the answer
  Finish finish = Finish::complete;
  ModelUsage usage;
  std::string model;  // that answered, as its provider calls it
  double seconds = 0; // that answering took, waiting for another try included
  bool kept = false;  // from a store: nothing was paid for it now
  bool operator==(const ModelAnswer&) const = default;
};

struct ModelFailure {
  enum class Kind {
    infrastructure, // no network, an overloaded or broken server: the same request may work later
    configuration,  // a wrong key, an unknown model, a context that is too short: nothing works until the user acts
    answer,         // the model refused, or said nothing: another sample may work
    stopped,        // by the caller
  };
  Kind kind = Kind::infrastructure;
  Error error;
};

template <class T> using ModelResult = std::expected<T, ModelFailure>;

struct ModelListener {
  std::function<void(std::string_view)> text;             // what came in, piece by piece
  std::function<void(std::string_view message)> progress; // "waiting 8 s: too many requests (429)"
  std::stop_token stop;
};

class ModelProvider {
public:
  virtual ~ModelProvider() = default;
  virtual std::string_view name() const = 0; // "openai"
  virtual ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) = 0;
  // Names that requests may use; empty where the provider takes any.
  virtual ModelResult<std::vector<std::string>> models(std::stop_token stop) = 0;
};

// An estimate for providers that report no count: four characters to a token.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_prompt_tokens(const ModelRequest& request);

// Public too: "llm/setting.h", which model, where, with whose keys; "llm/providers.h", the list of those who
// answer; "llm/answer_store.h", answers that are kept; "llm/message_json.h", conversations in files;
// "llm/prices.h", what tokens cost; "llm/spending.h", what was spent, and when that is enough.

} // namespace hone::llm
