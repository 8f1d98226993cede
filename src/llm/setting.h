// Which model is asked, where, and with whose keys.
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::llm {

struct ModelSetting {
  std::string provider;          // "openai"
  std::string model;             // "gpt-5"; empty where the provider has no names
  std::string base_url;          // "https://api.openai.com/v1"; empty where nothing is reached over HTTP
  std::vector<std::string> keys; // tried in turn; never written anywhere
  std::string key_origin;        // "OPENAI_API_KEY": for messages
  fs::path path;                 // of `manual`, `recorded`, `scripted`: a folder or a file
  std::chrono::seconds silence{300};
};

// "openai/gpt-5", "anthropic/claude-sonnet-4-5", "manual:FOLDER", "scripted:FILE": what follows the provider's name.
// `url` overrides the provider's address. Keys come from the provider's variable, several separated by commas, or from
// the file that VARIABLE_FILE names, which only its owner may read.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Result<ModelSetting> model_setting(std::string_view words, std::string_view url, const Environment& environment);

Environment process_environment();

} // namespace hone::llm
