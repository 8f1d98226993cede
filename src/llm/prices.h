// What tokens cost, from a dated table that ships with Hone and that users override.
#pragma once

#include "llm/llm.h"
#include "util/fs.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::llm {

struct ModelPrice {  // USD per million tokens
  std::string model; // a name, or the beginning of one: "gpt-5*"
  double prompt = 0;
  double cached = 0; // of the prompt, seen before
  double answer = 0;
};

struct PriceTable {
  std::string date;               // of the newest table that was read
  std::vector<ModelPrice> prices; // the first that fits counts

  // Nothing for a model that no line fits: its tokens are counted, its cost is not known.
  std::optional<double> usd(std::string_view model, const ModelUsage& usage) const;
};

// `shipped`, before it the lines of `own` where there is such a file.
Result<PriceTable> read_prices(const fs::path& shipped, const fs::path& own);

} // namespace hone::llm
