#include "llm/prices.h"

#include <fmt/format.h>
#include <toml++/toml.h>

namespace hone::llm {
namespace {

bool fits(std::string_view pattern, std::string_view model)
{
  return pattern.ends_with('*') ? model.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == model;
}

Result<void> add_prices(const fs::path& file, PriceTable& table)
{
  HONE_TRY(const std::string text, read_file(file));
  try {
    const toml::table parsed = toml::parse(text, file.string());
    if (table.date.empty()) {
      table.date = parsed["date"].value_or(std::string());
    }
    const toml::array* models = parsed["model"].as_array();
    for (std::size_t i = 0; models != nullptr && i < models->size(); ++i) {
      const toml::table* line = (*models)[i].as_table();
      const auto number = [&](const char* key) {
        return line == nullptr ? std::nullopt : (*line)[key].value<double>();
      };
      const auto name = line == nullptr ? std::nullopt : (*line)["name"].value<std::string>();
      const auto prompt = number("prompt"), answer = number("answer");
      if (!name || !prompt || !answer || *prompt < 0 || *answer < 0) {
        return fail("a price needs name, prompt and answer, in USD per million tokens",
                    R"([[model]] name = "some-model*" prompt = 1.25 cached = 0.125 answer = 10)",
                    {file.string(), static_cast<int>((*models)[i].source().begin.line), 0});
      }
      table.prices.push_back({*name, *prompt, number("cached").value_or(*prompt), *answer});
    }
  } catch (const toml::parse_error& error) {
    return fail(std::string(error.description()), "", {file.string(), static_cast<int>(error.source().begin.line), 0});
  }
  return {};
}

} // namespace

std::optional<double> PriceTable::usd(std::string_view model, const ModelUsage& usage) const
{
  for (const ModelPrice& price : prices) {
    if (fits(price.model, model)) {
      const auto fresh = static_cast<double>(usage.prompt_tokens - usage.cached_tokens);
      return 1e-6
             * (fresh * price.prompt + static_cast<double>(usage.cached_tokens) * price.cached
                + static_cast<double>(usage.answer_tokens) * price.answer);
    }
  }
  return std::nullopt;
}

Result<PriceTable> read_prices(const fs::path& shipped, const fs::path& own)
{
  PriceTable table;
  std::error_code ignored;
  if (fs::exists(own, ignored)) {
    HONE_CHECK(add_prices(own, table));
  }
  HONE_CHECK(add_prices(shipped, table));
  return table;
}

} // namespace hone::llm
