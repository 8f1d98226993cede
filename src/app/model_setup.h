// The engine that asks a language model, with kept answers and a budget, as the settings say.
#pragma once

#include "app/workbench.h"
#include "llm/answer_store.h"
#include "llm/setting.h"
#include "llm/spending.h"
#include "rewrite/model_engine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hone::app {

// Where answers to requests about this kernel are kept.
llm::AnswerStore answer_store(const Workbench& bench);

// A provider whose answers are kept in `store`, with the limits and prices that the settings say. `before`: what was
// spent earlier; `spent` is told after each answer.
Result<std::shared_ptr<llm::ModelProvider>> open_provider(Context& context, const llm::ModelSetting& setting,
                                                          llm::AnswerStore store, llm::ModelSpending before,
                                                          std::function<void(const llm::ModelSpending&)> spent);

// A model with kept answers and a budget.
struct AskedModel {
  std::shared_ptr<llm::ModelProvider> provider;
  std::string name; // as the provider knows it
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;
  std::function<void(std::string_view)> progress, text; // shown to people
};
// What all runs of a workflow paid; nothing where that cannot be read.
llm::ModelSpending spent_on_models(const store::Workflow& workflow);

// Nothing where no model is asked for.
Result<std::optional<AskedModel>> asked_model(Context& context, const Workbench& bench, store::Workflow& workflow);

// Nothing where no model is asked for.
Result<std::optional<rewrite::ModelEngineSetting>> model_engine_setting(Context& context, const Workbench& bench,
                                                                        store::Workflow& workflow);
// Null where no model is asked for.
Result<std::unique_ptr<rewrite::Engine>> open_model_engine(Context& context, const Workbench& bench,
                                                           store::Workflow& workflow);

} // namespace hone::app
