// --model and what belongs to it. (internal to the cli)
#pragma once

#include "app/model_setup.h"
#include "cli/command_line.h"

namespace hone::cli {

void add_model_options(CommandLine& line, CLI::App* command);

} // namespace hone::cli
