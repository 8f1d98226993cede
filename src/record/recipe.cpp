#include "record/recipe.h"

#include "record/words.h"
#include "util/hash.h"

#include <fmt/format.h>

namespace hone::record {
namespace {

constexpr std::array k_regime_names{
  std::pair{Regime::cold, std::string_view("cold")},
  std::pair{Regime::hot, std::string_view("hot")},
};
constexpr std::array k_depth_names{
  std::pair{Depth::glance, std::string_view("glance")},
  std::pair{Depth::screen, std::string_view("screen")},
  std::pair{Depth::promote, std::string_view("promote")},
};

Recipe recipe_from(const Json& json)
{
  Recipe recipe;
  recipe.sizes = whole_members(json.at("sizes"));
  recipe.threads = whole<int>(json.at("threads"));
  recipe.regime = value_for(k_regime_names, json.at("regime").get<std::string>());
  recipe.pairs = whole<int>(json.at("pairs"));
  recipe.seconds_per_pair = json.at("seconds_per_pair").get<double>();
  recipe.protocol = whole<int>(json.at("protocol"));
  if (json.contains("further")) {
    recipe.weight = json.at("weight").get<double>();
    for (const Json& one : json.at("further")) {
      recipe.further.push_back({whole_members(one.at("sizes")), one.at("weight").get<double>()});
    }
  }
  return recipe;
}

} // namespace

std::string_view name_of(Regime regime)
{
  return word_for(k_regime_names, regime);
}

Regime regime_named(const std::string& word)
{
  return value_for(k_regime_names, word);
}

std::string_view name_of(Depth depth)
{
  return word_for(k_depth_names, depth);
}

Result<Depth> depth_from(const std::string& word)
{
  return guarded<Depth>("depth", [&] { return value_for(k_depth_names, word); });
}

std::string Recipe::hash() const
{
  return sha256(to_json(*this).dump());
}

Recipe Recipe::at(const kernel::Sizes& others) const
{
  Recipe out = *this;
  out.sizes = others;
  out.weight = 1;
  out.further.clear();
  return out;
}

std::string sizes_text(const Recipe& recipe)
{
  const std::size_t more = recipe.further.size();
  return kernel::to_text(recipe.sizes)
         + (more == 0 ? "" : fmt::format(" and {} further {}", more, more == 1 ? "size" : "sizes"));
}

Json to_json(const Recipe& recipe)
{
  Json json{{"sizes", recipe.sizes},
            {"threads", recipe.threads},
            {"regime", name_of(recipe.regime)},
            {"pairs", recipe.pairs},
            {"seconds_per_pair", recipe.seconds_per_pair},
            {"protocol", recipe.protocol}};
  if (!recipe.further.empty()) { // recipes of one size keep their hashes
    json["weight"] = recipe.weight;
    for (const WeighedSizes& one : recipe.further) {
      json["further"].push_back({{"sizes", one.sizes}, {"weight", one.weight}});
    }
  }
  return json;
}

Result<Recipe> recipe_from_json(const Json& json)
{
  return guarded<Recipe>("recipe", [&] { return recipe_from(json); });
}

} // namespace hone::record
