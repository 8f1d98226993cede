// For which elements of a row a condition holds: an interval of columns, and conditions that no column changes.
// (internal to the room)
#pragma once

#include "lower/linear_form.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::lower {

// Columns from the largest of `lowers` up to the smallest of `uppers`, where all `guards` hold.
struct ColumnInterval {
  std::vector<kernel::ExprPtr> guards;
  std::vector<LinearForm> lowers, uppers;

  bool is_whole() const { return lowers.empty() && uppers.empty(); }
  bool names(const std::string& index) const;
};

// The parts of a condition that must all hold. What is denied is turned around: !(a || b < c) is !a and c <= b.
std::vector<kernel::ExprPtr> conjuncts_of(const kernel::ExprPtr& condition);
// All of them in one expression; null where there is none.
kernel::ExprPtr all_of(const std::vector<kernel::ExprPtr>& conjuncts);

// Of `columns` columns. Nothing where a part depends on the column in a way that makes no interval.
std::optional<ColumnInterval> interval_of(const kernel::ExprPtr& condition, const std::string& column,
                                          const LinearForm& columns);

// Takes a conjunct that names the column into the interval, for all values that the indices of the ranges take.
bool narrow(ColumnInterval& interval, const kernel::Expr& conjunct, const std::string& column,
            const LinearForm& columns, const std::vector<kernel::IndexRange>& ranges);

// The expression with an index's name replaced, also in ranges. Nodes that are shared stay shared.
kernel::ExprPtr renamed_index(const kernel::ExprPtr& expression, const std::string& from, const std::string& to);

// The expression with nodes exchanged for others.
kernel::ExprPtr exchanged(const kernel::ExprPtr& expression,
                          const std::map<const kernel::Expr*, kernel::ExprPtr>& replacements);

} // namespace hone::lower
