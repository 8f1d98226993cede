#include "gate/reversed_sums.h"

#include <algorithm>
#include <map>

namespace hone {
namespace {

using Replacements = std::map<std::string, ExprPtr>; // of indices

bool is_sum(const Expr& part)
{
  return part.kind == ExprKind::reduce && (part.op == ReduceOp::sum || part.op == ReduceOp::prod);
}

ExprPtr replaced(const ExprPtr& expression, const Replacements& with);

// Counts each index of a sum down: k becomes (upper - 1 + lower) - k. Which terms there are stays the same, also where
// the range depends on other indices.
ExprPtr replaced_reduction(const Expr& reduce, Replacements with)
{
  auto node = std::make_shared<Expr>(reduce);
  for (IndexRange& range : node->ranges) {
    range.lower = range.lower ? replaced(range.lower, with) : nullptr;
    range.upper = replaced(range.upper, with);
    with.erase(range.name); // hides an outer index of that name
    if (is_sum(reduce)) {
      ExprPtr last = make_binary("-", range.upper, make_number(1, true));
      if (range.lower) {
        last = make_binary("+", std::move(last), range.lower);
      }
      with[range.name] = make_binary("-", std::move(last), make_index(range.name));
    }
  }
  for (ExprPtr& part : node->args) {
    part = replaced(part, with);
  }
  return node;
}

ExprPtr replaced(const ExprPtr& expression, const Replacements& with)
{
  if (expression->kind == ExprKind::index) {
    const auto found = with.find(expression->name);
    return found == with.end() ? expression : found->second;
  }
  if (expression->kind == ExprKind::reduce) {
    return replaced_reduction(*expression, with);
  }
  if (expression->args.empty()) {
    return expression;
  }
  auto node = std::make_shared<Expr>(*expression);
  for (ExprPtr& part : node->args) {
    part = replaced(part, with);
  }
  return node;
}

} // namespace

bool has_sums(const Program& program)
{
  return std::ranges::any_of(program.statements,
                             [](const Statement& statement) { return any_part(*statement.value, is_sum); });
}

Program with_sums_reversed(const Program& program)
{
  Program out = program;
  for (Statement& statement : out.statements) {
    statement.value = replaced(statement.value, {});
  }
  return out;
}

} // namespace hone
