// --model and what belongs to it: the engine that asks a language model, with kept answers and a budget. (internal to
// the cli)
#pragma once

#include "cli/workbench.h"
#include "engine/model_engine.h"

#include <memory>

namespace hone::cli {

void add_model_options(CommandLine& line, CLI::App* command);

// Null where no model is asked for.
Result<std::unique_ptr<Engine>> open_model_engine(Context& context, const Workbench& bench, Workflow& workflow);

} // namespace hone::cli
