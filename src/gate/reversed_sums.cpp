#include "gate/reversed_sums.h"

#include <algorithm>
#include <map>

namespace hone::gate {
namespace {

using Replacements = std::map<std::string, kernel::ExprPtr>; // of indices

bool is_sum(const kernel::Expr& part)
{
  return part.kind == kernel::ExprKind::reduce
         && (part.op == kernel::ReduceOp::sum || part.op == kernel::ReduceOp::prod);
}

kernel::ExprPtr replaced(const kernel::ExprPtr& expression, const Replacements& with);

// Counts each index of a sum down: k becomes (upper - 1 + lower) - k. Which terms there are stays the same, also where
// the range depends on other indices.
kernel::ExprPtr replaced_reduction(const kernel::Expr& reduce, Replacements with)
{
  auto node = std::make_shared<kernel::Expr>(reduce);
  for (kernel::IndexRange& range : node->ranges) {
    range.lower = range.lower ? replaced(range.lower, with) : nullptr;
    range.upper = replaced(range.upper, with);
    with.erase(range.name); // hides an outer index of that name
    if (is_sum(reduce)) {
      kernel::ExprPtr last = kernel::make_binary("-", range.upper, kernel::make_number(1, true));
      if (range.lower) {
        last = kernel::make_binary("+", std::move(last), range.lower);
      }
      with[range.name] = kernel::make_binary("-", std::move(last), kernel::make_index(range.name));
    }
  }
  for (kernel::ExprPtr& part : node->args) {
    part = replaced(part, with);
  }
  return node;
}

kernel::ExprPtr replaced(const kernel::ExprPtr& expression, const Replacements& with)
{
  if (expression->kind == kernel::ExprKind::index) {
    const auto found = with.find(expression->name);
    return found == with.end() ? expression : found->second;
  }
  if (expression->kind == kernel::ExprKind::reduce) {
    return replaced_reduction(*expression, with);
  }
  if (expression->args.empty()) {
    return expression;
  }
  auto node = std::make_shared<kernel::Expr>(*expression);
  for (kernel::ExprPtr& part : node->args) {
    part = replaced(part, with);
  }
  return node;
}

} // namespace

bool has_sums(const kernel::Program& program)
{
  return std::ranges::any_of(
    program.statements, [](const kernel::Statement& statement) { return kernel::any_part(*statement.value, is_sum); });
}

kernel::Program with_sums_reversed(const kernel::Program& program)
{
  kernel::Program out = program;
  for (kernel::Statement& statement : out.statements) {
    statement.value = replaced(statement.value, {});
  }
  return out;
}

} // namespace hone::gate
