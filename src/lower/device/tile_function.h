// A statement as a function for a device with work-items: each item computes a tile of rows and columns, all of its
// sums in registers. (internal to the room)
#pragma once

#include "lower/candidate_text.h"
#include "lower/device/program.h"
#include "lower/device/tile_options.h"
#include "lower/dialect.h"
#include "util/result.h"

#include <string>
#include <vector>

namespace hone::lower::device {

struct TiledStatement {
  Function function;                // without parameters
  std::vector<std::string> grid;    // plan expressions, x first
  std::vector<std::string> cluster; // likewise; empty: none
  std::vector<MapText> maps;
  std::vector<std::string> local_bytes; // of the group, summands of a plan expression
};

// An error says what has no such form.
Result<TiledStatement> tile_statement(const kernel::Kernel& kernel, const Dialect& dialect,
                                      const kernel::Statement& source, const TileOptions& options);

} // namespace hone::lower::device
