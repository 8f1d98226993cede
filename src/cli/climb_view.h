// The climb as a person watches it: one line per finished step, a status line for the one in progress.
// (internal to the cli)
#pragma once

#include "app/context.h"
#include "cli/terminal.h"

namespace hone::cli {

void show_climb_heading(Terminal& terminal, const app::ClimbScale& scale);
// Columns of what is not known stay empty.
void show_climb_step(Terminal& terminal, const policy::Progress& progress, const app::ClimbScale& scale);

} // namespace hone::cli
