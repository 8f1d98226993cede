// The engine that asks a language model, with kept answers and a budget, as the settings say.
#pragma once

#include "app/workbench.h"
#include "engine/model_engine.h"
#include "model/answer_store.h"

#include <memory>
#include <optional>

namespace hone::app {

// Where answers to requests about this kernel are kept.
AnswerStore answer_store(const Workbench& bench);

// Who is asked, with which budget; nothing where no model is asked for.
Result<std::optional<ModelEngineSetting>> model_engine_setting(Context& context, const Workbench& bench,
                                                               Workflow& workflow);
// Null where no model is asked for.
Result<std::unique_ptr<Engine>> open_model_engine(Context& context, const Workbench& bench, Workflow& workflow);

} // namespace hone::app
