#include "engine/engine.h"
#include "util/util.h"

#include <fmt/format.h>

#include <array>

namespace hone {

std::span<const Engine* const> engines()
{
  static const std::array<const Engine*, 1> all = {&builtin_engine()};
  return all;
}

Result<const Engine*> find_engine(std::string_view name)
{
  std::vector<std::string> known;
  for (const Engine* engine : engines()) {
    if (engine->name() == name) {
      return engine;
    }
    known.emplace_back(engine->name());
  }
  return fail(fmt::format("there is no engine \"{}\"", name), "the engines are: " + join(known, ", "));
}

} // namespace hone
