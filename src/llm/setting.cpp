#include "llm/setting.h"

#include "llm/providers.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sys/stat.h>

namespace hone::llm {
namespace {

// One key a line, or several separated by commas.
void add_keys(std::string_view text, std::vector<std::string>& keys)
{
  for (const std::string& line : split(text, '\n')) {
    for (const std::string& word : split(line, ',')) {
      if (const std::string_view key = trim(word); !key.empty()) {
        keys.emplace_back(key);
      }
    }
  }
}

Result<std::vector<std::string>> keys_in(const fs::path& file, const std::string& variable)
{
  struct stat facts = {};
  if (stat(file.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(fmt::format("others may read the key file {}", file.string()), "chmod 600 " + file.string());
  }
  auto text = read_file(file);
  if (!text) {
    return fail(text.error().message, fmt::format("{} names a file with one key a line", variable));
  }
  std::vector<std::string> keys;
  add_keys(*text, keys);
  return keys;
}

// A key that ends a header line would let text of its own follow.
bool is_printable(std::string_view key)
{
  for (const char c : key) {
    if (c <= ' ' || c > '~') {
      return false;
    }
  }
  return true;
}

Result<void> find_keys(ModelSetting& setting, const ProviderFacts& facts, const Environment& environment)
{
  const std::string variable(facts.key_variable);
  const std::string file_variable = variable + "_FILE";
  setting.key_origin = variable;
  if (const auto value = environment(variable); value && !trim(*value).empty()) {
    add_keys(*value, setting.keys);
  } else if (const auto file = environment(file_variable); file && !file->empty()) {
    HONE_TRY(setting.keys, keys_in(*file, file_variable));
    setting.key_origin = *file;
  }
  for (const std::string& key : setting.keys) {
    if (!is_printable(key)) {
      return fail(fmt::format("the key in {} holds spaces or control characters", setting.key_origin),
                  "copy the key again, without quotes");
    }
  }
  return {};
}

bool is_local(std::string_view url)
{
  for (const std::string_view host : {"//localhost", "//127.", "//[::1]", "//0.0.0.0"}) {
    if (url.find(host) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

} // namespace

Environment process_environment()
{
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<ModelSetting> model_setting(std::string_view words, std::string_view url, const Environment& environment)
{
  ModelSetting setting;
  const std::size_t end = words.find_first_of("/:");
  setting.provider = words.substr(0, end);
  const std::string rest(end == std::string_view::npos ? std::string_view() : words.substr(end + 1));
  HONE_TRY(const ProviderFacts* const facts, find_provider(setting.provider));
  if (!facts->over_http) {
    setting.path = rest;
    if (rest.empty() && facts->needs_path) {
      return fail(fmt::format("\"{}\" needs a place", words), fmt::format("--model {}:PATH", setting.provider));
    }
    return setting;
  }
  setting.model = rest;
  if (rest.empty()) {
    return fail(
      fmt::format("\"{}\" names no model", words),
      fmt::format("--model {}/NAME; `hone doctor --model {}/any` lists the names", setting.provider, setting.provider));
  }
  const auto from_environment = environment(std::string(facts->url_variable));
  setting.base_url = !url.empty()                                     ? std::string(url)
                     : from_environment && !from_environment->empty() ? *from_environment
                                                                      : std::string(facts->default_url);
  if (!setting.base_url.starts_with("http://") && !setting.base_url.starts_with("https://")) {
    return fail(fmt::format("\"{}\" is not an address of a model server", setting.base_url),
                "it begins with https:// (or http://localhost), as in " + std::string(facts->default_url));
  }
  HONE_CHECK(find_keys(setting, *facts, environment));
  if (setting.keys.empty() && !is_local(setting.base_url)) {
    return fail(fmt::format("no key for {}", setting.base_url),
                fmt::format("set {} in the environment, or {}_FILE to a file that only you can read",
                            facts->key_variable, facts->key_variable));
  }
  if (!setting.keys.empty() && setting.base_url.starts_with("http://") && !is_local(setting.base_url)) {
    return fail(fmt::format("{} would get the key without encryption", setting.base_url), "use https://");
  }
  return setting;
}

} // namespace hone::llm
