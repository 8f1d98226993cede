// The list of providers. A new one is a file and a line here.
#pragma once

#include "llm/http.h"
#include "llm/llm.h"
#include "llm/pause.h"
#include "llm/setting.h"

#include <memory>
#include <span>

namespace hone::llm {

// Services of the system that providers need; tests replace them.
struct ModelServices {
  std::shared_ptr<Http> http;
  std::shared_ptr<Pause> pause;
};

ModelServices system_services();

struct ProviderFacts {
  std::string_view name;         // "openai"
  std::string_view about;        // one line for `--help` and `doctor`
  bool over_http = false;        // has models with names, an address and keys
  bool needs_path = false;       // others: a place on disk
  std::string_view default_url;  // "https://api.openai.com/v1"
  std::string_view url_variable; // "OPENAI_BASE_URL"
  std::string_view key_variable; // "OPENAI_API_KEY"
  Result<std::unique_ptr<ModelProvider>> (*make)(const ModelSetting& setting, const ModelServices& world) = nullptr;
};

std::span<const ProviderFacts> model_providers();
Result<const ProviderFacts*> find_provider(std::string_view name);
Result<std::unique_ptr<ModelProvider>> make_provider(const ModelSetting& setting, const ModelServices& world);

// One file each.
Result<std::unique_ptr<ModelProvider>> make_openai(const ModelSetting& setting, const ModelServices& world);
Result<std::unique_ptr<ModelProvider>> make_anthropic(const ModelSetting& setting, const ModelServices& world);
Result<std::unique_ptr<ModelProvider>> make_manual(const ModelSetting& setting, const ModelServices& world);
Result<std::unique_ptr<ModelProvider>> make_editor(const ModelSetting& setting, const ModelServices& world);
Result<std::unique_ptr<ModelProvider>> make_recorded(const ModelSetting& setting, const ModelServices& world);
Result<std::unique_ptr<ModelProvider>> make_scripted(const ModelSetting& setting, const ModelServices& world);

} // namespace hone::llm
