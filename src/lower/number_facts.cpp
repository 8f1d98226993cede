#include "lower/number_facts.h"

#include <algorithm>
#include <optional>

namespace hone::lower {

kernel::DataType stored_type(const kernel::Kernel& kernel, const kernel::Expr& load)
{
  const kernel::Argument* argument = kernel.find_argument(load.name);
  return argument != nullptr ? argument->type : load.type;
}

double power_of_two(const kernel::Expr& expression)
{
  int exponent = 0;
  const bool number = expression.kind == kernel::ExprKind::number && expression.number >= 1;
  return number && std::frexp(expression.number, &exponent) == 0.5 ? expression.number : 0;
}

bool is_division(const kernel::Expr& expression)
{
  return expression.kind == kernel::ExprKind::binary && (expression.name == "/" || expression.name == "%");
}

namespace {

bool is_never_negative(const kernel::Kernel& kernel, const kernel::Expr& expression)
{
  if (expression.kind == kernel::ExprKind::number) {
    return expression.number >= 0;
  }
  if (expression.kind == kernel::ExprKind::load) {
    const kernel::DataType type = stored_type(kernel, expression);
    return type == kernel::DataType::u8 || type == kernel::DataType::u16;
  }
  return expression.kind == kernel::ExprKind::binary
         && (is_division(expression) || expression.name == "+" || expression.name == "*")
         && is_never_negative(kernel, *expression.args[0]) && is_never_negative(kernel, *expression.args[1]);
}

// A bound on an integer's magnitude; nothing where only its type is known and that is wide.
std::optional<double> magnitude_of(const kernel::Kernel& kernel, const kernel::Expr& expression)
{
  if (expression.kind == kernel::ExprKind::number) {
    return std::fabs(expression.number);
  }
  if (expression.kind == kernel::ExprKind::load) {
    const kernel::DataType type = stored_type(kernel, expression);
    return !kernel::is_float(type) && kernel::size_of(type) <= 2
             ? std::optional(kernel::size_of(type) == 1 ? 255.0 : 65535.0)
             : std::nullopt;
  }
  if (expression.kind != kernel::ExprKind::binary || expression.args.size() != 2) {
    return std::nullopt;
  }
  if (is_division(expression)) {
    const double by = power_of_two(*expression.args[1]);
    const std::optional<double> of = magnitude_of(kernel, *expression.args[0]);
    const bool known = by > 0 && of && is_never_negative(kernel, *expression.args[0]);
    return known ? std::optional(expression.name == "/" ? *of : by - 1) : std::nullopt;
  }
  const std::optional<double> left = magnitude_of(kernel, *expression.args[0]);
  const std::optional<double> right = magnitude_of(kernel, *expression.args[1]);
  if (!left || !right) {
    return std::nullopt;
  }
  return expression.name == "+" || expression.name == "-" ? std::optional(*left + *right)
         : expression.name == "*"                         ? std::optional(*left * *right)
                                                          : std::nullopt;
}

} // namespace

bool is_exact_in_float(const kernel::Kernel& kernel, const kernel::Expr& expression)
{
  constexpr double k_whole_numbers = 16777216; // up to which f32 has all of them
  const std::optional<double> magnitude = magnitude_of(kernel, expression);
  return magnitude && *magnitude <= k_whole_numbers;
}

bool is_whole_number(const kernel::Expr& expression)
{
  if (!kernel::is_float(expression.type)) {
    return true;
  }
  if (expression.kind == kernel::ExprKind::number) {
    return expression.number == std::floor(expression.number);
  }
  const bool keeps =
    expression.kind == kernel::ExprKind::call
      ? expression.name == "min" || expression.name == "max"
      : expression.kind == kernel::ExprKind::binary && (expression.name == "+" || expression.name == "-");
  return (expression.kind == kernel::ExprKind::call && expression.name == "floor")
         || (keeps && std::ranges::all_of(expression.args, [](const auto& part) { return is_whole_number(*part); }));
}

NumberRange range_of(const kernel::Expr& expression)
{
  if (expression.kind == kernel::ExprKind::number) {
    return {expression.number, expression.number};
  }
  NumberRange out;
  if (expression.kind == kernel::ExprKind::call && (expression.name == "sqrt" || expression.name == "abs")) {
    out.low = 0;
    return out;
  }
  const bool min = expression.kind == kernel::ExprKind::call && expression.name == "min";
  if (!min && (expression.kind != kernel::ExprKind::call || expression.name != "max")) {
    return out;
  }
  out = range_of(*expression.args.front());
  for (const kernel::ExprPtr& argument : expression.args) {
    const NumberRange one = range_of(*argument);
    out.low = min ? std::min(out.low, one.low) : std::max(out.low, one.low);
    out.high = min ? std::min(out.high, one.high) : std::max(out.high, one.high);
  }
  return out;
}

} // namespace hone::lower
