#include "app/settings.h"
#include "backend/backend.h"
#include "policy/blaster_setting.h"
#include "policy/policy.h"
#include "tune/tune.h"

#include <algorithm>
#include <cctype>

namespace hone::app {

namespace {

bool is_number(const std::string& text)
{
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

Json schema_of(const Setting& setting)
{
  const std::vector<std::string> words = words_of_setting(setting.name);
  if (!words.empty()) {
    return words_schema(setting.meaning, words);
  }
  if (!is_number(setting.value)) {
    return text_schema(setting.meaning);
  }
  Json number = integer_schema(setting.meaning, 0);
  number["type"] = {"integer", "string"}; // either is read
  number["pattern"] = setting.name == "seed" ? "^(-?[0-9]+|0x[0-9a-fA-F]+)$" : "^[0-9]+$";
  return number;
}

} // namespace

std::vector<std::string> words_of_setting(const std::string& name)
{
  if (name == "backend") {
    std::vector<std::string> names;
    for (const backend::Backend* backend : backend::backends()) {
      names.emplace_back(backend->name());
    }
    return names;
  }
  if (name == "policy") {
    return policy::policy_names();
  }
  if (name == "strategy") {
    return tune::strategy_names();
  }
  if (name == "prompt") {
    return {"auto", "full", "compact"};
  }
  if (name == "call-form") {
    return {"auto", "native", "text"};
  }
  if (name == "color") {
    return {"auto", "always", "never"};
  }
  if (name == "choice") {
    return policy::choice_rule_names();
  }
  if (name == "learning" || name == "profiles") {
    return {"on", "off"};
  }
  if (name == "regime") {
    return {"cold", "hot"};
  }
  return {};
}

Json settings_schema()
{
  std::vector<SchemaMember> members;
  for (const Setting& setting : Settings::defaults().all()) {
    Json schema = schema_of(setting);
    if (!setting.value.empty()) {
      schema["default"] = setting.value;
    }
    members.push_back({setting.name, schema});
  }
  return file_schema("config.toml or hone.toml", object_schema("settings of Hone", members));
}

} // namespace hone::app
