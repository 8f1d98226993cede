// What a model server's "no" means: who has to act, and whether asking again may help. (internal to the model room)
#pragma once

#include "llm/http.h"
#include "llm/llm.h"
#include "llm/setting.h"

#include <chrono>
#include <optional>

namespace hone::llm {

struct Refusal {
  ModelFailure failure;
  bool again = false;                             // the same request may work later
  bool other_key = false;                         // another key may be let in
  std::optional<std::chrono::milliseconds> after; // the server said when
};

// A status other than 200. Keys never stand in what it returns.
Refusal refusal_of(const HttpResponse& response, const ModelSetting& setting,
                   std::chrono::system_clock::time_point now);
Refusal refusal_of(const HttpFailure& failure, const ModelSetting& setting);

// "Retry-After: 20", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", "retry-after-ms: 1500".
std::optional<std::chrono::milliseconds> retry_after(const HttpResponse& response,
                                                     std::chrono::system_clock::time_point now);

// The server's own words, from the shapes that errors come in; shortened, without keys.
std::string error_message_of(const std::string& body, const ModelSetting& setting);
std::string without_keys(std::string text, const ModelSetting& setting);

} // namespace hone::llm
