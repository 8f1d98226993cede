// What answers have cost so far, and a provider that stops when that is enough.
#pragma once

#include "llm/llm.h"
#include "llm/prices.h"

#include <functional>
#include <memory>
#include <optional>

namespace hone::llm {

struct ModelSpending {
  int asked = 0; // answers that were paid for
  int kept = 0;  // answers that were there already
  ModelUsage usage;
  double usd = 0;
  bool usd_known = true; // false once a model answered that no price is known of
  double seconds = 0;
};

// "12 answers (3 kept), 45,210 + 8,120 tokens, 0.21 USD"
std::string to_text(const ModelSpending& spending);

struct ModelLimits { // nothing: no limit
  std::optional<double> usd;
  std::optional<std::int64_t> tokens; // of prompts and answers together
};

// Counts what `inner` answers; once a limit is reached it asks no more and says so (ModelFailure::Kind::stopped). One
// answer may go beyond: what it costs is known when it is there. `spending` is where a resumed run begins.
std::unique_ptr<ModelProvider> make_limited(std::unique_ptr<ModelProvider> inner, ModelLimits limits, PriceTable prices,
                                            ModelSpending spending, std::function<void(const ModelSpending&)> observe);

} // namespace hone::llm
