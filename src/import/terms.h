// Building and rewriting expressions while a function is read. (internal to the room)
//
// Names that no person wrote hold a character that C names cannot hold: indices are "i#3", marks begin with '@'.
#pragma once

#include "kernel/expression.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone::import {

kernel::ExprPtr make_load(std::string name, std::vector<kernel::ExprPtr> subscripts, kernel::DataType type);
kernel::ExprPtr make_call(std::string function, std::vector<kernel::ExprPtr> args);
kernel::ExprPtr make_cast(kernel::DataType type, kernel::ExprPtr value);
kernel::ExprPtr make_reduction(kernel::ReduceOp op, kernel::IndexRange range, kernel::ExprPtr body,
                               kernel::ExprPtr guard); // the guard may be null
kernel::ExprPtr negated(kernel::ExprPtr value);
// + - * / % with what is certain folded away: integer constants, x + 0, x * 1.
kernel::ExprPtr arithmetic(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right);
kernel::ExprPtr compared(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right);
// Conditions; a null one always holds.
kernel::ExprPtr both(kernel::ExprPtr a, kernel::ExprPtr b);
kernel::ExprPtr opposite(const kernel::ExprPtr& condition);
// select(condition, a, b), or max(a, b) and min(a, b) where it says that; of conditions, a condition.
kernel::ExprPtr choice(const kernel::ExprPtr& condition, kernel::ExprPtr a, kernel::ExprPtr b);

bool is_condition(const kernel::Expr& expression);          // elements of bool tensors too
kernel::ExprPtr as_condition(const kernel::ExprPtr& value); // x != 0 for a number
kernel::ExprPtr as_number(const kernel::ExprPtr& value);    // select(x, 1, 0) for a condition
bool is_literal(const kernel::Expr& expression, double value);
bool same(const kernel::ExprPtr& a, const kernel::ExprPtr& b); // both null, or the same text
int nodes_of(const kernel::Expr& expression);

// Asks `change` about every node from the root down; what it returns takes the node's place (null: look below).
kernel::ExprPtr rewritten(const kernel::ExprPtr& expression,
                          const std::function<kernel::ExprPtr(const kernel::ExprPtr&)>& change);
// x + 0 and x * 1 folded away, all over.
kernel::ExprPtr simplified(const kernel::ExprPtr& expression);
// Indices replaced by expressions; integer parts come back in normal form.
kernel::ExprPtr with_indices(const kernel::ExprPtr& expression, const std::map<std::string, kernel::ExprPtr>& values);

bool any_node(const kernel::Expr& expression, const std::function<bool(const kernel::Expr&)>& test);
void collect_sizes(const kernel::Expr& expression, std::set<std::string>& out); // the names of its sizes
bool holds_reduction(const kernel::Expr& expression);
bool mentions_index(const kernel::ExprPtr& expression, const std::string& index); // false for null
std::set<std::string> free_indices(const kernel::Expr& expression);

// Marks: values that are not known yet, or not any more. A mark is a load whose name begins with '@'.
bool is_mark(const kernel::Expr& expression, std::string_view mark);
bool holds_mark(const kernel::Expr& expression);

// "j" for "j#12".
std::string written_name(const std::string& index);

} // namespace hone::import
