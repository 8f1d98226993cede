#include "kernel/carried_reduction.h"

#include <algorithm>
#include <array>

namespace hone::kernel {

namespace {

bool is_positive_literal(const Expr& expression)
{
  return expression.kind == ExprKind::number && expression.integer_literal && expression.number > 0;
}

// True when the integer never falls as the index rises, from its form alone.
bool never_falls_with(const Expr& expression, const std::string& index)
{
  if (!names_anywhere(expression, index)) {
    return true;
  }
  if (expression.kind == ExprKind::index) {
    return true;
  }
  if (expression.kind == ExprKind::call && (expression.name == "min" || expression.name == "max")) {
    return std::ranges::all_of(expression.args, [&](const ExprPtr& arg) { return never_falls_with(*arg, index); });
  }
  if (expression.kind != ExprKind::binary) {
    return false;
  }
  const Expr& left = *expression.args[0];
  const Expr& right = *expression.args[1];
  if (expression.name == "+") {
    return never_falls_with(left, index) && never_falls_with(right, index);
  }
  if (expression.name == "-") {
    return never_falls_with(left, index) && !names_anywhere(right, index);
  }
  if (expression.name == "*") {
    return (is_positive_literal(left) && never_falls_with(right, index))
           || (is_positive_literal(right) && never_falls_with(left, index));
  }
  return expression.name == "/" && is_positive_literal(right) && never_falls_with(left, index);
}

void collect_outermost(const ExprPtr& expression, std::vector<const Expr*>& out)
{
  if (expression->kind == ExprKind::reduce) {
    if (std::ranges::find(out, expression.get()) == out.end()) {
      out.push_back(expression.get());
    }
    return;
  }
  for (const ExprPtr& arg : expression->args) {
    collect_outermost(arg, out);
  }
}

} // namespace

Carried carried_along(const Expr& reduce, const IndexRange& along)
{
  const IndexRange& first = reduce.ranges.front();
  const auto is_free = [&](const Expr& part) { return !names_anywhere(part, along.name); };
  const bool others_are_free = std::all_of(reduce.ranges.begin() + 1, reduce.ranges.end(),
                                           [&](const IndexRange& range) {
                                             return is_free(*range.upper) && (!range.lower || is_free(*range.lower));
                                           })
                               && std::ranges::all_of(reduce.args, [&](const ExprPtr& part) { return is_free(*part); });
  if (!others_are_free) {
    return Carried::no;
  }
  const bool lower_is_free = !first.lower || is_free(*first.lower);
  const bool upper_is_free = is_free(*first.upper);
  if (lower_is_free && !upper_is_free && never_falls_with(*first.upper, along.name)) {
    return Carried::upwards;
  }
  return upper_is_free && !lower_is_free && never_falls_with(*first.lower, along.name) ? Carried::downwards
                                                                                       : Carried::no;
}

CarriedReductions carried_reductions(const Statement& statement)
{
  std::vector<const Expr*> outermost;
  collect_outermost(statement.value, outermost);
  if (statement.guard) {
    collect_outermost(statement.guard, outermost);
  }
  CarriedReductions best;
  for (std::size_t i = 0; i < statement.indices.size(); ++i) {
    for (const Carried direction : std::array{Carried::upwards, Carried::downwards}) {
      CarriedReductions here{i, direction, {}};
      for (const Expr* reduce : outermost) {
        // Which position it is depends on all terms that are close to the best: nothing is gained.
        if (!is_position(reduce->op) && carried_along(*reduce, statement.indices[i]) == direction) {
          here.reductions.push_back(reduce);
        }
      }
      if (here.reductions.size() > best.reductions.size()) {
        best = std::move(here);
      }
    }
  }
  return best;
}

} // namespace hone::kernel
