// Statements that go over the same rows, as passes over the columns of one row.
//
// A row is what the leading indices of the statements' targets select; its columns are the last index, and what sums
// and maxima run over. softmax is three passes: the maximum; the exponentials and their sum; the quotients.
#pragma once

#include "kernel/kernel.h"
#include "lower/schedule.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone::lower {

// Expressions of a row program name their indices alike, whatever the statements call them: index nodes "row 0",
// "row 1", ..., "column" and, for the outer ranges of a reduction, "outer 0", ... What was computed before is an index
// node of the value's type too: "local NAME" for one value per row, "value NAME" for a target's value at the column,
// "running NAME" for a reduction that is carried along.
constexpr const char* k_column = "column";
std::string row_index(std::size_t position);
std::string outer_index(std::size_t position);
std::string local_name(const std::string& name);
std::string value_name(const std::string& target);
std::string running_name(const std::string& local); // what a running reduction has come to at the column

// What a pass does at every column: takes a body into a value of the row, or computes an element of a target.
struct RowTask {
  enum class Kind { reduce, element };
  Kind kind = Kind::element;
  kernel::ExprPtr body;
  kernel::ExprPtr guard; // of a reduction: columns where it does not hold are passed over; may be null
  kernel::ReduceOp op = kernel::ReduceOp::sum; // of a reduction
  std::string local;                           // the reduction's name
  bool running = false;                        // elements of the same pass read what the reduction has come to so far
  std::string target;                          // the element's tensor
};

// One value per row, computed between two passes.
struct RowValue {
  std::string local;
  kernel::ExprPtr value; // null: the local is there already and is only stored
  std::string target;
};

struct RowPass {
  std::vector<kernel::IndexRange> outer; // loops around the columns
  kernel::ExprPtr lower;                 // null for 0
  kernel::ExprPtr upper;
  std::vector<RowTask> tasks;
};

// An element-wise target: where it is computed, and where its values can be read in later passes.
struct RowTarget {
  const kernel::Statement* statement = nullptr;
  kernel::ExprPtr value;
  std::size_t level = 0;
  std::string buffer; // its own memory, or the row of an output that is written later; "" computed again
};

struct RowLevel {
  std::vector<RowValue> before; // values that the level's passes, or later ones, need
  std::vector<RowPass> passes;  // independent of each other
};

struct RowProgram {
  std::vector<const kernel::Statement*> statements;
  std::size_t prefix = 0;               // leading indices that select the row
  bool running = false;                 // reductions up to the column are carried along
  std::vector<kernel::ExprPtr> extents; // of these
  std::vector<RowLevel> levels;         // the last one has values only
  std::map<std::string, RowTarget> targets;
  std::set<std::string> stored; // targets that are read outside the program
  kernel::DataType compute = kernel::DataType::f32;

  std::size_t passes() const;
  bool reduces() const;
};

// The program of neighbouring statements whose first `prefix` indices select the row, or why they do not fit together.
// With `running`, a reduction up to the column is carried along from column to column.
Result<RowProgram> row_program(const kernel::Kernel& kernel, const std::vector<const kernel::Statement*>& statements,
                               std::size_t prefix, bool running);

// A kernel cut into launches. A statement that cannot go row by row stands alone, with the reason.
struct RowStage {
  RowProgram program;
  const kernel::Statement* plain = nullptr;
  std::string reason;
};
// As a schedule wants it: where it is `fused`, as many neighbouring statements as possible share a launch.
std::vector<RowStage> row_stages(const kernel::Kernel& kernel, const Schedule& schedule);

} // namespace hone::lower
