// hone new --from: a kernel folder made of a function in C or C++. (internal to the cli)
#pragma once

#include "app/import_function.h"
#include "cli/command_line.h"

namespace hone::cli {

// What is not understood ends in questions: asked on a terminal, listed elsewhere.
Result<Exit> new_from(Context& context, ImportRequest request);

} // namespace hone::cli
