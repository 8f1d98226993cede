#include "kernel/size_conditions.h"

#include "kernel/expression_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kernel {

namespace {

std::vector<NamedValue> values_of_sizes(const Sizes& sizes)
{
  std::vector<NamedValue> out;
  for (const auto& [name, value] : sizes) {
    out.push_back({name, value});
  }
  return out;
}

// Gives `side` another value where it is a plain size.
bool set_size(const Expr& side, std::int64_t value, Sizes& sizes)
{
  if (side.kind != ExprKind::extent || value < 1) {
    return false;
  }
  sizes[side.name] = value;
  return true;
}

// Makes `side` no larger than `most`: a size, or a product of sizes, of which the largest factor shrinks.
bool shrink(const Expr& side, std::int64_t most, Sizes& sizes)
{
  if (side.kind != ExprKind::binary || side.name != "*") {
    return set_size(side, most, sizes);
  }
  const std::vector<NamedValue> values = values_of_sizes(sizes);
  const auto left = evaluate_integer(*side.args[0], values);
  const auto right = evaluate_integer(*side.args[1], values);
  if (!left || !right || *left < 1 || *right < 1) {
    return false;
  }
  return *left >= *right ? shrink(*side.args[0], most / *right, sizes) : shrink(*side.args[1], most / *left, sizes);
}

// Makes `side` a multiple of a number: a size, or a product of sizes, of which the last grows.
bool round_up(const Expr& side, std::int64_t number, Sizes& sizes)
{
  if (side.kind == ExprKind::binary && side.name == "*") {
    return round_up(*side.args[1], number, sizes);
  }
  const auto found = side.kind == ExprKind::extent && number > 0 ? sizes.find(side.name) : sizes.end();
  if (found == sizes.end()) {
    return false;
  }
  found->second += (number - found->second % number) % number;
  return true;
}

// Changes one size, so that a comparison holds. The larger side grows; where that is no plain size, the other shrinks.
bool meet(const Expr& condition, Sizes& sizes)
{
  if (condition.kind != ExprKind::binary) {
    return false;
  }
  const std::vector<NamedValue> values = values_of_sizes(sizes);
  if (is_logical(condition.name)) {
    const auto left = evaluate_integer(*condition.args[0], values);
    return meet(left && *left != 0 ? *condition.args[1] : *condition.args[0], sizes);
  }
  const auto left = evaluate_integer(*condition.args[0], values);
  const auto right = evaluate_integer(*condition.args[1], values);
  if (!left || !right) {
    return false;
  }
  const Expr& first = *condition.args[0];
  const Expr& second = *condition.args[1];
  const std::string& op = condition.name;
  if (op == "<" || op == "<=") {
    const std::int64_t apart = op == "<" ? 1 : 0;
    return set_size(second, *left + apart, sizes) || shrink(first, *right - apart, sizes);
  }
  if (op == ">" || op == ">=") {
    const std::int64_t apart = op == ">" ? 1 : 0;
    return set_size(first, *right + apart, sizes) || shrink(second, *left - apart, sizes);
  }
  if (op == "==" && *right == 0 && first.kind == ExprKind::binary && first.name == "%") { // n % 256 == 0
    const auto divisor = evaluate_integer(*first.args[1], values);
    return divisor && round_up(*first.args[0], *divisor, sizes);
  }
  const std::int64_t apart = op == "!=" ? 1 : 0;
  return set_size(second, *left + apart, sizes) || set_size(first, *right + apart, sizes);
}

const Expr* violated(const Kernel& kernel, const Sizes& sizes)
{
  const std::vector<NamedValue> values = values_of_sizes(sizes);
  for (const ExprPtr& condition : kernel.size_conditions) {
    const auto met = evaluate_integer(*condition, values);
    if (!met || *met == 0) {
      return condition.get();
    }
  }
  return nullptr;
}

} // namespace

Result<void> check_size_conditions(const Kernel& kernel, const Sizes& sizes)
{
  const Expr* condition = violated(kernel, sizes);
  if (condition != nullptr) {
    return fail(fmt::format("'{}' does not hold for {}", to_text(*condition), to_text(sizes)),
                "choose sizes that meet every condition of [sizes] where", condition->place);
  }
  return {};
}

Sizes with_conditions_met(const Kernel& kernel, Sizes sizes)
{
  if (kernel.size_conditions.empty()) {
    return sizes;
  }
  const Sizes as_given = sizes;
  const std::size_t most_changes = 4 * kernel.size_conditions.size(); // one change may undo another
  for (std::size_t i = 0; i < most_changes; ++i) {
    const Expr* condition = violated(kernel, sizes);
    if (condition == nullptr) {
      return sizes;
    }
    if (!meet(*condition, sizes)) {
      return as_given;
    }
  }
  return violated(kernel, sizes) == nullptr ? sizes : as_given;
}

bool is_size_condition(const Expr& expression)
{
  if (expression.kind == ExprKind::unary && expression.name == "!") {
    return is_size_condition(*expression.args[0]);
  }
  if (expression.kind != ExprKind::binary) {
    return false;
  }
  if (is_logical(expression.name)) {
    return is_size_condition(*expression.args[0]) && is_size_condition(*expression.args[1]);
  }
  return is_comparison(expression.name) && is_integer(expression.args[0]->type) && is_integer(expression.args[1]->type);
}

} // namespace hone::kernel
