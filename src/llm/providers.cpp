#include "llm/providers.h"

#include "util/text.h"

#include <fmt/format.h>

#include <array>

namespace hone::llm {
namespace {

constexpr std::array<ProviderFacts, 6> k_providers{{
  {"openai", "Chat Completions: OpenAI, and whoever speaks its protocol (vLLM, llama.cpp, Ollama, OpenRouter, Azure)",
   true, false, "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", make_openai},
  {"anthropic", "Anthropic's Messages", true, false, "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
   "ANTHROPIC_API_KEY", make_anthropic},
  {"manual", "a person: requests as files in a folder, answers beside them", false, true, "", "", "", make_manual},
  {"editor", "a person: each request in $EDITOR", false, false, "", "", "", make_editor},
  {"recorded", "answers that were kept, by request", false, true, "", "", "", make_recorded},
  {"scripted", "answers from a file, by rule: for tests", false, true, "", "", "", make_scripted},
}};

} // namespace

std::span<const ProviderFacts> model_providers()
{
  return k_providers;
}

Result<const ProviderFacts*> find_provider(std::string_view name)
{
  std::vector<std::string> known;
  for (const ProviderFacts& facts : k_providers) {
    if (facts.name == name) {
      return &facts;
    }
    known.emplace_back(facts.name);
  }
  return fail(fmt::format("there is no provider \"{}\" of models", name),
              fmt::format("write --model PROVIDER/NAME; the providers are: {}", join(known, ", ")));
}

Result<std::unique_ptr<ModelProvider>> make_provider(const ModelSetting& setting, const ModelServices& world)
{
  HONE_TRY(const ProviderFacts* const facts, find_provider(setting.provider));
  return facts->make(setting, world);
}

ModelServices system_services()
{
  return {make_http(), make_pause()};
}

} // namespace hone::llm
