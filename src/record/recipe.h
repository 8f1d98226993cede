// How a contender is measured and how deeply it is checked. Numbers are compared only within one recipe.
#pragma once

#include "kernel/kernel.h"
#include "util/json.h"
#include "util/result.h"

#include <string>
#include <string_view>

namespace hone::record {

// Where the data of a timed call start: in memory (a ring of buffers larger than the caches), or in the caches.
enum class Regime { cold, hot };
std::string_view name_of(Regime regime);      // "cold", "hot"
Regime regime_named(const std::string& word); // throws std::invalid_argument

constexpr int k_protocol_version = 5; // of docs/measurement.md; numbers of different versions are never compared

// How to measure. Part of every record: numbers are compared only within one recipe.
struct Recipe {
  kernel::Sizes sizes;
  int threads = 1;
  Regime regime = Regime::cold;  // the one that decides; the other is measured and shown where asked for
  int pairs = 4;                 // pairs of fresh runner processes (candidate, incumbent)
  double seconds_per_pair = 0.1; // at least; long calls take more, by the protocol's table
  int protocol = k_protocol_version;

  std::string hash() const;
};

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
