// Evaluation of subscripts, ranges and shapes: expressions over indices and sizes only.
#include "kernel/expression.h"
#include "kernel/integer_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kernel {

namespace {

Result<std::int64_t> evaluate_call(const Expr& call, const std::vector<NamedValue>& values)
{
  if (call.name == "abs") {
    HONE_TRY(const std::int64_t value, evaluate_integer(*call.args[0], values));
    return value < 0 ? -value : value;
  }
  if (call.name != "max" && call.name != "min") {
    return fail(fmt::format("{}() cannot stand in an integer expression", call.name), {}, call.place);
  }
  HONE_TRY(std::int64_t out, evaluate_integer(*call.args[0], values));
  for (std::size_t i = 1; i < call.args.size(); ++i) {
    HONE_TRY(const std::int64_t value, evaluate_integer(*call.args[i], values));
    out = call.name == "max" ? std::max(out, value) : std::min(out, value);
  }
  return out;
}

Result<std::int64_t> evaluate_binary(const Expr& binary, const std::vector<NamedValue>& values)
{
  HONE_TRY(const std::int64_t left, evaluate_integer(*binary.args[0], values));
  if (binary.name == "&&" && left == 0) {
    return 0;
  }
  if (binary.name == "||" && left != 0) {
    return 1;
  }
  HONE_TRY(const std::int64_t right, evaluate_integer(*binary.args[1], values));
  if (binary.name == "&&" || binary.name == "||") {
    return right != 0;
  }
  auto value = integer_operation(binary.name, left, right);
  if (!value) {
    return fail(fmt::format("{} in '{}'", value.error(), to_text(binary)), {}, binary.place);
  }
  return *value;
}

} // namespace

Result<std::int64_t> evaluate_integer(const Expr& expression, const std::vector<NamedValue>& values)
{
  switch (expression.kind) {
  case ExprKind::number:
    if (!expression.integer_literal) {
      return fail(fmt::format("'{}' is not an integer", to_text(expression)), {}, expression.place);
    }
    return static_cast<std::int64_t>(expression.number);
  case ExprKind::index:
  case ExprKind::extent: {
    // From the back: inner indices are appended and shadow outer names.
    const auto found =
      std::find_if(values.rbegin(), values.rend(), [&](const NamedValue& v) { return v.name == expression.name; });
    if (found == values.rend()) {
      return fail(fmt::format("'{}' has no value here", expression.name), "give it one in [sizes]", expression.place);
    }
    return found->value;
  }
  case ExprKind::unary: {
    HONE_TRY(const std::int64_t value, evaluate_integer(*expression.args[0], values));
    if (expression.name == "!") {
      return value == 0;
    }
    auto negated = integer_operation("-", 0, value);
    if (!negated) {
      return fail(negated.error(), {}, expression.place);
    }
    return *negated;
  }
  case ExprKind::binary:
    return evaluate_binary(expression, values);
  case ExprKind::call:
    return evaluate_call(expression, values);
  case ExprKind::select: {
    HONE_TRY(const std::int64_t condition, evaluate_integer(*expression.args[0], values));
    return evaluate_integer(*expression.args[condition != 0 ? 1 : 2], values);
  }
  default:
    return fail(fmt::format("'{}' is not an expression over indices and sizes", to_text(expression)), {},
                expression.place);
  }
}

} // namespace hone::kernel
