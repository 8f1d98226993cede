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

namespace hone {

ExprPtr make_load(std::string name, std::vector<ExprPtr> subscripts, DataType type);
ExprPtr make_call(std::string function, std::vector<ExprPtr> args);
ExprPtr make_cast(DataType type, ExprPtr value);
ExprPtr make_reduction(ReduceOp op, IndexRange range, ExprPtr body, ExprPtr guard); // the guard may be null
ExprPtr negated(ExprPtr value);
// + - * / % with what is certain folded away: integer constants, x + 0, x * 1.
ExprPtr arithmetic(const std::string& op, ExprPtr left, ExprPtr right);
ExprPtr compared(const std::string& op, ExprPtr left, ExprPtr right);
// Conditions; a null one always holds.
ExprPtr both(ExprPtr a, ExprPtr b);
ExprPtr opposite(const ExprPtr& condition);
// select(condition, a, b), or max(a, b) and min(a, b) where it says that.
ExprPtr choice(const ExprPtr& condition, ExprPtr a, ExprPtr b);

bool is_condition(const Expr& expression);
bool is_literal(const Expr& expression, double value);
bool same(const ExprPtr& a, const ExprPtr& b); // both null, or the same text
int nodes_of(const Expr& expression);

// Asks `change` about every node from the root down; what it returns takes the node's place (null: look below).
ExprPtr rewritten(const ExprPtr& expression, const std::function<ExprPtr(const ExprPtr&)>& change);
// x + 0 and x * 1 folded away, all over.
ExprPtr simplified(const ExprPtr& expression);
// Indices replaced by expressions; integer parts come back in normal form.
ExprPtr with_indices(const ExprPtr& expression, const std::map<std::string, ExprPtr>& values);

bool any_node(const Expr& expression, const std::function<bool(const Expr&)>& test);
bool holds_reduction(const Expr& expression);
bool mentions_index(const ExprPtr& expression, const std::string& index); // false for null
std::set<std::string> free_indices(const Expr& expression);

// Marks: values that are not known yet, or not any more. A mark is a load whose name begins with '@'.
bool is_mark(const Expr& expression, std::string_view mark);
bool holds_mark(const Expr& expression);

// "j" for "j#12".
std::string written_name(const std::string& index);

} // namespace hone
