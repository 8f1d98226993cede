#include "lower/window_condition.h"

#include "lower/words.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

void split_conjuncts(const kernel::ExprPtr& expression, std::vector<kernel::ExprPtr>& out)
{
  if (expression->kind == kernel::ExprKind::binary && expression->name == "&&") {
    split_conjuncts(expression->args[0], out);
    split_conjuncts(expression->args[1], out);
    return;
  }
  out.push_back(expression);
}

Result<WindowCondition> interval(const kernel::ExprPtr& text, const std::string& index,
                                 const std::vector<kernel::IndexRange>& ranges)
{
  const auto no = [&](const std::string& why) {
    return fail(fmt::format("the condition {} {}", kernel::to_text(*text), why), k_leave_out, text->place);
  };
  const kernel::ExprPtr slack = slack_of(*text);
  const std::optional<std::int64_t> growth = slack ? coefficient_of(*slack, index) : std::nullopt;
  if (!growth || *growth == 0) {
    return no(fmt::format("is no bound for {}", index));
  }
  WindowCondition out{text, index, *growth, with_index(slack, index, kernel::make_number(0, true))};
  for (const kernel::IndexRange& range : ranges) {
    if (!coefficient_of(*out.rest, range.name)) {
      return no(fmt::format("does not grow evenly with {}", range.name));
    }
  }
  return out;
}

} // namespace

kernel::ExprPtr slack_of(const kernel::Expr& comparison)
{
  if (comparison.kind != kernel::ExprKind::binary || comparison.args.size() != 2) {
    return nullptr;
  }
  const kernel::ExprPtr& left = comparison.args[0];
  const kernel::ExprPtr& right = comparison.args[1];
  const std::string& op = comparison.name;
  if (kernel::is_float(left->type) || kernel::is_float(right->type)) {
    return nullptr;
  }
  if (op == "<=" || op == ">=") {
    return op == "<=" ? kernel::make_binary("-", right, left) : kernel::make_binary("-", left, right);
  }
  if (op == "<" || op == ">") {
    const kernel::ExprPtr distance =
      op == "<" ? kernel::make_binary("-", right, left) : kernel::make_binary("-", left, right);
    return kernel::make_binary("-", distance, kernel::make_number(1, true));
  }
  return nullptr;
}

bool names_index(const kernel::Expr& expression, const std::string& index)
{
  return kernel::any_part(
    expression, [&](const kernel::Expr& part) { return part.kind == kernel::ExprKind::index && part.name == index; });
}

std::optional<std::int64_t> coefficient_of(const kernel::Expr& expression, const std::string& index)
{
  if (!names_index(expression, index)) {
    return 0;
  }
  if (expression.kind == kernel::ExprKind::index) {
    return 1;
  }
  if (expression.kind == kernel::ExprKind::unary && expression.name == "-") {
    const auto inner = coefficient_of(*expression.args[0], index);
    return inner ? std::optional(-*inner) : std::nullopt;
  }
  if (expression.kind != kernel::ExprKind::binary) {
    return std::nullopt;
  }
  const kernel::Expr& left = *expression.args[0];
  const kernel::Expr& right = *expression.args[1];
  const auto a = coefficient_of(left, index);
  const auto b = coefficient_of(right, index);
  if (!a || !b) {
    return std::nullopt;
  }
  if (expression.name == "+" || expression.name == "-") {
    return expression.name == "+" ? *a + *b : *a - *b;
  }
  if (expression.name == "*" && (left.integer_literal || right.integer_literal)) {
    return left.integer_literal ? static_cast<std::int64_t>(left.number) * *b
                                : static_cast<std::int64_t>(right.number) * *a;
  }
  return std::nullopt;
}

kernel::ExprPtr with_index(const kernel::ExprPtr& expression, const std::string& index,
                           const kernel::ExprPtr& replacement)
{
  if (expression->kind == kernel::ExprKind::index && expression->name == index) {
    return replacement;
  }
  if (!names_index(*expression, index)) {
    return expression;
  }
  std::vector<kernel::ExprPtr> parts;
  for (const kernel::ExprPtr& part : expression->args) {
    parts.push_back(with_index(part, index, replacement));
  }
  if (expression->kind == kernel::ExprKind::binary && !kernel::is_float(expression->type)) {
    return kernel::make_binary(expression->name, parts[0], parts[1]);
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  copy->args = std::move(parts);
  return copy;
}

// growth * index + slack >= 0. Rounded so that it is right wherever it lies inside the output: a quotient of C rounds
// towards zero, and below zero all bounds are alike.
kernel::ExprPtr WindowCondition::bound_of(const kernel::ExprPtr& slack) const
{
  const std::int64_t step = growth > 0 ? growth : -growth;
  const kernel::ExprPtr divisor = kernel::make_number(static_cast<double>(step), true);
  const kernel::ExprPtr dividend =
    growth > 0 ? kernel::make_binary("-", kernel::make_number(static_cast<double>(step - 1), true), slack)
               : kernel::make_binary("+", slack, divisor);
  return kernel::make_binary("/", dividend, divisor);
}

kernel::ExprPtr WindowCondition::bound(const std::vector<kernel::IndexRange>& ranges) const
{
  kernel::ExprPtr least = rest;
  for (const kernel::IndexRange& range : ranges) {
    const std::int64_t by = coefficient_of(*least, range.name).value_or(0);
    const kernel::ExprPtr lower = range.lower ? range.lower : kernel::make_number(0, true);
    const kernel::ExprPtr last = kernel::make_binary("-", range.upper, kernel::make_number(1, true));
    least = with_index(least, range.name, by < 0 ? last : lower);
  }
  return bound_of(least);
}

Result<std::vector<WindowCondition>> window_conditions(const kernel::ExprPtr& guard,
                                                       const std::vector<std::string>& indices,
                                                       const std::vector<kernel::IndexRange>& ranges)
{
  std::vector<WindowCondition> out;
  std::vector<kernel::ExprPtr> conjuncts;
  if (guard) {
    split_conjuncts(guard, conjuncts);
  }
  for (const kernel::ExprPtr& conjunct : conjuncts) {
    std::vector<std::string> named;
    for (const std::string& index : indices) {
      if (names_index(*conjunct, index)) {
        named.push_back(index);
      }
    }
    if (named.size() > 1) {
      return fail(
        fmt::format("the condition {} is one on both {} and {}", kernel::to_text(*conjunct), named[0], named[1]),
        k_leave_out, conjunct->place);
    }
    if (named.empty()) {
      out.push_back({conjunct, "", 0, nullptr});
      continue;
    }
    HONE_TRY(WindowCondition condition, interval(conjunct, named[0], ranges));
    out.push_back(std::move(condition));
  }
  return out;
}

} // namespace hone::lower
