#include "lower/joined_sums.h"

#include "lower/element_intervals.h"

namespace hone::lower {

namespace {

bool is_plain_sum(const kernel::Expr& expression)
{
  return expression.kind == kernel::ExprKind::reduce && expression.op == kernel::ReduceOp::sum
         && expression.args.size() == 1 && kernel::is_float(expression.type);
}

// The only sum among the factors of a product; null where there is none, or more.
const kernel::Expr* sum_factor(const kernel::Expr& product)
{
  if (is_plain_sum(product)) {
    return &product;
  }
  if (product.kind != kernel::ExprKind::binary || product.name != "*") {
    return nullptr;
  }
  const kernel::Expr* left = sum_factor(*product.args[0]);
  const kernel::Expr* right = sum_factor(*product.args[1]);
  return left != nullptr && right != nullptr ? nullptr : left != nullptr ? left : right;
}

kernel::ExprPtr joined_sums(const kernel::ExprPtr& expression)
{
  auto out = std::make_shared<kernel::Expr>(*expression);
  bool same = true;
  for (kernel::ExprPtr& part : out->args) {
    kernel::ExprPtr next = part ? joined_sums(part) : part;
    same = same && next == part;
    part = std::move(next);
  }
  const kernel::Expr* inner = is_plain_sum(*out) ? sum_factor(*out->args[0]) : nullptr;
  if (inner == nullptr) {
    return same ? expression : out;
  }
  kernel::ExprPtr terms = exchanged(out->args[0], {{inner, inner->args[0]}});
  out->ranges.insert(out->ranges.end(), inner->ranges.begin(), inner->ranges.end());
  out->args[0] = std::move(terms);
  return out;
}

} // namespace

kernel::Kernel with_joined_sums(kernel::Kernel kernel)
{
  for (kernel::Statement& statement : kernel.program.statements) {
    statement.value = kernel::is_ordered(statement) ? statement.value : joined_sums(statement.value);
  }
  return kernel;
}

} // namespace hone::lower
