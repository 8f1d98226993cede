// The expression language: what a kernel computes, as data. The grammar is in docs/expressions.md.
//
// One node type serves the whole language; `kind` says which members count. Nodes are immutable and shared.
#pragma once

#include "kernel/data_type.h"
#include "util/result.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hone::kernel {

enum class ReduceOp { sum, prod, max, min, argmax, argmin };

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

// An index and its half-open range [lower, upper). `lower` is null for 0. Bounds may name extents and outer
// indices (`k <= i` has upper = i + 1). For an index whose range follows from a shape, upper is that extent.
struct IndexRange {
  std::string name;
  ExprPtr lower;
  ExprPtr upper;
  Place place;
};

enum class ExprKind {
  number, // number
  index,  // name: an index variable, an i64
  extent, // name: a size symbol, an i64
  load,   // name: tensor (argument, intermediate or scalar), args: subscripts
  unary,  // name: "-" or "!"
  binary, // name: + - * / % == != < <= > >= && ||
  call,   // name: function, args
  select, // args: condition, then, else
  cast,   // type, args[0]
  reduce, // op, ranges, args[0]: body; args[1], where there is one: the guard (`where`)
  hole,   // the place of a reduction inside an epilogue (see kernel_class.h); never written by a person
};

struct Expr {
  ExprKind kind = ExprKind::number;
  std::string name;
  double number = 0;
  bool integer_literal = false;
  std::vector<ExprPtr> args;
  ReduceOp op = ReduceOp::sum;
  std::vector<IndexRange> ranges;
  DataType type = DataType::f64; // of the value, set by the checker; indices and extents are i64
  Place place;
};

// A loop that is run in order, from the lower end of its range to the upper: `for t < n { ... }`.
struct SerialLoop {
  int number = 0; // statements inside the same loop share it
  IndexRange range;
};

// target[indices] = value, for all indices in their ranges (where guard holds; elsewhere the target is 0).
// Intermediates are tensors that no argument declares: later statements may load them.
//
// Inside serial loops a statement is ordered: it is done once per round of the loops, writes the elements that its
// subscripts name and leaves all others as they are (also where the guard does not hold).
struct Statement {
  std::string target;
  std::vector<IndexRange> indices; // in the order of the target's subscripts
  ExprPtr value;
  ExprPtr guard; // may be null
  bool intermediate = false;
  DataType type = DataType::f32; // element type of the target
  Place place;
  std::vector<SerialLoop> loops;   // around it, outermost first; ranges may depend on the loops outside
  std::vector<ExprPtr> subscripts; // of an ordered statement: one per dimension of the target, over loops and indices
  std::vector<ExprPtr> extents;    // of an ordered statement: the shape of the target, over size symbols
};

struct Program {
  std::vector<Statement> statements; // in order of execution
};

inline bool is_ordered(const Statement& statement)
{
  return !statement.loops.empty();
}
bool is_ordered(const Program& program); // some statement is

// The shape of the target, and where in it the statement writes; of any statement.
std::vector<ExprPtr> extents_of(const Statement& statement);
std::vector<ExprPtr> subscripts_of(const Statement& statement);

// One past the last statement that shares the outermost loop of statement `first`; first + 1 outside of loops.
std::size_t end_of_block(const Program& program, std::size_t first);
// The first statement with this target, where its elements are kept; the number of statements where there is none.
std::size_t home_of(const Program& program, std::string_view target);

// True when the predicate holds for the expression or for a part of it. Ranges of reductions are not looked into.
template <class Predicate> bool any_part(const Expr& expression, const Predicate& predicate)
{
  return predicate(expression)
         || std::ranges::any_of(expression.args, [&](const ExprPtr& part) { return any_part(*part, predicate); });
}

// Whether an expression names an index, ranges of reductions included.
bool names_anywhere(const Expr& expression, const std::string& index);

bool is_position(ReduceOp op); // it gives an index: argmax, argmin
// Each once: a node that a formula names twice (gelu of a sum) is one reduction.
std::vector<ExprPtr> reductions_of(const ExprPtr& expression);

// Prints an expression back in the language (parenthesised only where needed).
std::string to_text(const Expr& expression);
std::string to_text(const Statement& statement);           // without the loops around it
std::string to_text(const std::vector<SerialLoop>& loops); // "for t < n, i <= t"; "" for none

// Node builders for code that makes or rewrites expressions. They set `type` as the checker would.
ExprPtr make_number(double value, bool integer = false);
ExprPtr make_index(std::string name);
ExprPtr make_extent(std::string name);
ExprPtr make_binary(std::string op, ExprPtr left, ExprPtr right); // folds integer constants and x+0, x*1
ExprPtr make_hole(DataType type);

// Evaluates an expression over indices and extents only (subscripts, ranges). `values` maps names to numbers;
// an unknown name or a load is an error.
struct NamedValue {
  std::string name;
  std::int64_t value;
};
Result<std::int64_t> evaluate_integer(const Expr& expression, const std::vector<NamedValue>& values);

} // namespace hone::kernel
