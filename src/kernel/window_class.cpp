#include "kernel/window_class.h"

#include <algorithm>

namespace hone::kernel {

namespace {

bool names_one(const Expr& expression, const std::vector<IndexRange>& ranges)
{
  return any_part(expression, [&](const Expr& part) {
    return part.kind == ExprKind::index
           && std::ranges::any_of(ranges, [&](const IndexRange& range) { return range.name == part.name; });
  });
}

// Sums, differences and multiples of indices, of the output and of the reduction.
bool is_window(const Expr& subscript, const Statement& statement, const Expr& reduce)
{
  const bool quotient = any_part(
    subscript, [](const Expr& part) { return part.name == "/" || part.name == "%" || part.kind == ExprKind::load; });
  return !quotient && names_one(subscript, statement.indices) && names_one(subscript, reduce.ranges);
}

bool goes_over_windows(const Expr& body, const Statement& statement, const Expr& reduce)
{
  return any_part(body, [&](const Expr& part) {
    return part.kind == ExprKind::load && std::ranges::any_of(part.args, [&](const ExprPtr& subscript) {
             return is_window(*subscript, statement, reduce);
           });
  });
}

} // namespace

std::optional<KernelClass> window_class(const Kernel& kernel)
{
  if (kernel.program.statements.size() != 1 || is_ordered(kernel.program)) {
    return std::nullopt;
  }
  const Statement& statement = kernel.program.statements.front();
  const std::vector<ExprPtr> reductions = reductions_of(statement.value);
  if (reductions.size() != 1) {
    return std::nullopt;
  }
  const Expr& reduce = *reductions.front();
  const bool known = reduce.op == ReduceOp::sum || reduce.op == ReduceOp::max || reduce.op == ReduceOp::min;
  if (!known || !goes_over_windows(*reduce.args[0], statement, reduce)) {
    return std::nullopt;
  }
  const Expr& body = *reduce.args[0];
  const bool product = body.kind == ExprKind::binary && body.name == "*" && body.args[0]->kind == ExprKind::load
                       && body.args[1]->kind == ExprKind::load;
  return product && reduce.op == ReduceOp::sum ? KernelClass::convolution : KernelClass::pooling;
}

} // namespace hone::kernel
