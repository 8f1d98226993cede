// Expressions of statements, rewritten into the terms of a row program. (internal to the room)
#pragma once

#include "lower/rowwise_program.h"

#include <map>
#include <set>
#include <string>

namespace hone::lower {

// Where an expression stands, and what rewriting it found out.
struct RowScope {
  std::map<std::string, std::string> names; // index -> its name in the program
  std::string upper;                        // extent of the column, as text; "" where there is no column
  std::string preferred;                    // what a reduction should be called; "" for sum, largest, ...
  bool in_reduction = false;
  std::vector<RowTask> running_before;                   // reductions up to the column that take it in first,
  std::vector<RowTask> running_after;                    // and those up to the one before
  std::size_t level = 0;                                 // the first level at which everything that is read is known
  std::map<const kernel::Expr*, kernel::ExprPtr> shared; // a node that stands in two places stays one
};

class RowRewriter {
public:
  RowRewriter(const kernel::Kernel& kernel, RowProgram& program);

  Result<kernel::ExprPtr> rewrite(const kernel::ExprPtr& expression, RowScope& scope);

  // The statement that follows reads old values of its target, of the element that it writes alone.
  void allow_old_values(const std::string& target) { m_updated = target; }

  // Statements that later ones may read.
  void know_value(const kernel::Statement& statement, const std::string& local, std::size_t level);
  void know_element(const kernel::Statement& statement, std::size_t level);

  std::string fresh_local(const std::string& wanted);
  // Joins the pass over the same columns at that level, or starts one.
  void add_task(std::size_t level, std::vector<kernel::IndexRange> outer, kernel::ExprPtr lower, kernel::ExprPtr upper,
                RowTask task);

private:
  struct Known {
    const kernel::Statement* statement = nullptr;
    std::string local; // "" for an element-wise target
    std::size_t level = 0;
  };
  Result<kernel::ExprPtr> rewrite_new(const kernel::ExprPtr& expression, RowScope& scope);
  Result<kernel::ExprPtr> rewrite_load(const kernel::Expr& load, const kernel::ExprPtr& copy, RowScope& scope);
  Result<kernel::ExprPtr> rewrite_reduction(const kernel::Expr& reduce, RowScope& scope);
  Result<kernel::ExprPtr> rewrite_running(const kernel::Expr& reduce, RowScope& scope, bool inclusive);
  Result<void> rewrite_ranges(const kernel::Expr& reduce, RowScope& outside, RowScope& inside,
                              std::vector<kernel::IndexRange>& out);

  const kernel::Kernel& m_kernel;
  RowProgram& m_program;
  std::map<std::string, Known> m_known;
  std::set<std::string> m_locals;
  std::string m_updated; // the target whose old values may be read
};

} // namespace hone::lower
