// Statements that go over the same rows as one function for a device with work-items: the items of a group share rows.
// (internal to the room)
#pragma once

#include "lower/device/program.h"
#include "lower/dialect.h"
#include "lower/rowwise_program.h"
#include "util/result.h"

#include <string>
#include <vector>

namespace hone::lower::device {

struct RowOptions {
  std::string items = "1"; // work-items that share a row
  std::string rows = "1";  // rows of a group
  std::string lanes;       // neighbouring columns in a vector; "": no vectors
  bool subgroups = false;  // items that run together add up without local memory
};

struct RowsInGroups {
  Function function;                    // without parameters
  std::vector<std::string> grid;        // plan expressions
  std::vector<std::string> local_bytes; // summands
};

// An error says what has no such form.
Result<RowsInGroups> row_function(const kernel::Kernel& kernel, const Dialect& dialect, const RowProgram& program,
                                  const RowOptions& options);

} // namespace hone::lower::device
