// Standard output and standard error. Whoever read them may be gone, or their disk full: what cannot be written is no
// reason to give up work that goes on, and is told at its end.
#pragma once

#include "util/result.h"

#include <string_view>

namespace hone::cli {

void print_out(std::string_view text);
void print_err(std::string_view text);

// Writes what waits for standard output. An error where not all of it was taken, but for a reader that had enough.
Result<void> finish_out();

} // namespace hone::cli
