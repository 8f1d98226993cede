#include "tune/strategies.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <array>

namespace hone::tune {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)();
};

// The one list: a new strategy is a file with its maker, and a line here.
constexpr std::array k_strategies = {
  Entry{"racing", make_racing_strategy},       Entry{"local-search", make_local_search_strategy},
  Entry{"annealing", make_annealing_strategy}, Entry{"genetic", make_genetic_strategy},
  Entry{"random", make_random_strategy},       Entry{"exhaustive", make_exhaustive_strategy},
};

} // namespace

std::vector<std::string> strategy_names()
{
  std::vector<std::string> names;
  for (const Entry& entry : k_strategies) {
    names.emplace_back(entry.name);
  }
  return names;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name)
{
  for (const Entry& entry : k_strategies) {
    if (entry.name == name) {
      return entry.make();
    }
  }
  const std::vector<std::string> names = strategy_names();
  return fail("there is no tuning strategy '" + std::string(name) + "'",
              did_you_mean(name, names, "choose one of: " + join(names, ", ")));
}

} // namespace hone::tune
