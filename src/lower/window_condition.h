// Conditions of windows as intervals: for which columns a term of a reduction counts.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone::lower {

// How much an integer expression grows when an index grows by one; nothing where that is no fixed number.
std::optional<std::int64_t> coefficient_of(const kernel::Expr& expression, const std::string& index);

// The expression with something else in an index's place; folds what becomes constant.
kernel::ExprPtr with_index(const kernel::ExprPtr& expression, const std::string& index,
                           const kernel::ExprPtr& replacement);

// The expression that must not be negative for a comparison of integers to hold; null for other expressions.
kernel::ExprPtr slack_of(const kernel::Expr& comparison);

bool names_index(const kernel::Expr& expression, const std::string& index);

// One condition; where it depends on a column or a channel it is slack >= 0, and slack is a multiple of that index plus
// a rest.
struct WindowCondition {
  kernel::ExprPtr text;    // as written
  std::string index;       // the column or the channel, or "" for neither
  std::int64_t growth = 0; // of the slack with that index
  kernel::ExprPtr rest;    // the slack where that index is 0

  // The first index for which it holds, or one behind the last; by the sign of `growth`.
  bool is_lower() const { return growth > 0; }
  kernel::ExprPtr bound() const { return bound_of(rest); }
  // The same for all values of the reduction's indices.
  kernel::ExprPtr bound(const std::vector<kernel::IndexRange>& ranges) const;

private:
  kernel::ExprPtr bound_of(const kernel::ExprPtr& slack) const;
};

// The conjuncts of a guard (null: none). An error where one depends on an index in a way that makes no interval.
Result<std::vector<WindowCondition>> window_conditions(const kernel::ExprPtr& guard,
                                                       const std::vector<std::string>& indices,
                                                       const std::vector<kernel::IndexRange>& ranges);

} // namespace hone::lower
