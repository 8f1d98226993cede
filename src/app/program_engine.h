// The built-in engine on a program's region: a plain C function becomes a kernel, is climbed, and comes back as text.
// (internal to the app)
#pragma once

#include "app/context.h"
#include "program/program.h"

#include <string>
#include <vector>

namespace hone::app {

// The region's text as the engine makes it; nothing is judged in the program yet. The error says what the engine does
// not understand. Works in the program's .hone/engine folder.
Result<std::string> engine_region(Context& context, const program::Program& program,
                                  const std::vector<std::string>& sizes);

} // namespace hone::app
