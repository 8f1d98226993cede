// The engine that asks a language model, with kept answers and a budget, as the settings say.
#pragma once

#include "app/workbench.h"
#include "llm/answer_store.h"
#include "rewrite/model_engine.h"

#include <memory>
#include <optional>

namespace hone::app {

// Where answers to requests about this kernel are kept.
llm::AnswerStore answer_store(const Workbench& bench);

// Who is asked, with which budget; nothing where no model is asked for.
Result<std::optional<rewrite::ModelEngineSetting>> model_engine_setting(Context& context, const Workbench& bench,
                                                                        store::Workflow& workflow);
// Null where no model is asked for.
Result<std::unique_ptr<rewrite::Engine>> open_model_engine(Context& context, const Workbench& bench,
                                                           store::Workflow& workflow);

} // namespace hone::app
