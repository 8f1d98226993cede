// How a contender is measured and how deeply it is checked. Numbers are compared only within one recipe.
#pragma once

#include "kernel/kernel.h"
#include "util/json.h"
#include "util/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::record {

// Where the data of a timed call start: in memory (a ring of buffers larger than the caches), or in the caches.
enum class Regime { cold, hot };
std::string_view name_of(Regime regime);      // "cold", "hot"
Regime regime_named(const std::string& word); // throws std::invalid_argument

constexpr int k_protocol_version = 5; // of docs/measurement.md; numbers of different versions are never compared

// Further sizes that a comparison is made at, and how much they count.
struct WeighedSizes {
  kernel::Sizes sizes;
  double weight = 1;

  bool operator==(const WeighedSizes&) const = default;
};

// How to measure. Part of every record: numbers are compared only within one recipe.
struct Recipe {
  kernel::Sizes sizes;
  double weight = 1;                 // of these sizes, beside the further ones
  std::vector<WeighedSizes> further; // then a comparison's ratio is the weighted geometric mean of those at all sizes
  int threads = 1;
  Regime regime = Regime::cold;  // the one that decides; the other is measured and shown where asked for
  int pairs = 4;                 // pairs of fresh runner processes (candidate, incumbent)
  double seconds_per_pair = 0.1; // at least; long calls take more, by the protocol's table
  int protocol = k_protocol_version;

  std::string hash() const;
  Recipe at(const kernel::Sizes& others) const; // at these sizes alone
};

// "m=1024 n=1024 and 2 further sizes".
std::string sizes_text(const Recipe& recipe);

// How deep to check before timing.
enum class Depth {
  glance,  // one call at the timed sizes, every element: for trusted candidates, such as Hone's own
  screen,  // two hidden sizes, two value families, poison, repeats, work-groups: while searching
  promote, // all hidden sizes and value families, more repeats, work-groups at the timed sizes, inspectors
};
std::string_view name_of(Depth depth); // "glance", "screen", "promote"
Result<Depth> depth_from(const std::string& word);

Json to_json(const Recipe& recipe);
Result<Recipe> recipe_from_json(const Json& json);

} // namespace hone::record
