// A store of answers by request: a stored answer is never paid for again, and a run can be repeated without its model.
// One file per answer. The files are data, not trusted.
#pragma once

#include "llm/llm.h"
#include "util/fs.h"
#include "util/json.h"

#include <memory>
#include <optional>

namespace hone::llm {

struct StoredAnswer {
  std::string provider; // who was asked
  ModelRequest request;
  ModelAnswer answer;
};

Json to_json(const StoredAnswer& stored);
Result<StoredAnswer> stored_answer_from(const Json& json, const std::string& origin);

class AnswerStore {
public:
  explicit AnswerStore(fs::path folder) : m_folder(std::move(folder)) {}

  // Nothing if there is none. An error if the file cannot be read or belongs to another request.
  Result<std::optional<StoredAnswer>> find(const ModelRequest& request) const { return find(request.hash()); }
  Result<std::optional<StoredAnswer>> find(const std::string& request_hash) const;
  // On disk when it returns.
  Result<void> add(const StoredAnswer& stored) const;
  // All that can be read, in the order of their files' names.
  std::vector<StoredAnswer> all() const;
  const fs::path& folder() const { return m_folder; }

private:
  fs::path file_of(const std::string& hash) const;

  fs::path m_folder;
};

// In which part two requests differ first, in words ("message 1 differs from line 37 on"); "" where they do not. The
// model's name is no part of it.
std::string difference(const ModelRequest& asked, const ModelRequest& kept);

enum class AskAgain { never, always };
// Asks `inner` only for what the store does not hold (or whatever is asked), and keeps what it answers.
std::unique_ptr<ModelProvider> make_keeping(std::unique_ptr<ModelProvider> inner, AnswerStore store,
                                            AskAgain again = AskAgain::never);

} // namespace hone::llm
