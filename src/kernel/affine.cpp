#include "kernel/affine.h"

#include <algorithm>

namespace hone::kernel {

namespace {

// Numbers of this size are no subscripts; keeping below it leaves room for sums of a few forms without overflow.
constexpr std::int64_t k_limit = std::int64_t{1} << 60;

std::int64_t product(std::int64_t a, std::int64_t b)
{
  return static_cast<std::int64_t>(std::clamp<__int128>(static_cast<__int128>(a) * b, -k_limit, k_limit));
}

} // namespace

std::optional<Affine> within_limit(Affine affine)
{
  const auto is_small = [](std::int64_t value) { return value > -k_limit && value < k_limit; };
  const bool small = is_small(affine.constant) && std::ranges::all_of(affine.coefficients, [&](const auto& entry) {
                       return is_small(entry.second);
                     });
  return small ? std::optional(std::move(affine)) : std::nullopt;
}

Affine scaled(const Affine& a, std::int64_t factor)
{
  Affine out;
  if (factor == 0) {
    return out;
  }
  out.constant = product(a.constant, factor);
  for (const auto& [name, coefficient] : a.coefficients) {
    out.coefficients[name] = product(coefficient, factor);
  }
  return out;
}

Affine operator+(const Affine& a, const Affine& b)
{
  Affine out = a;
  out.constant += b.constant;
  for (const auto& [name, coefficient] : b.coefficients) {
    std::int64_t& sum = out.coefficients[name];
    sum += coefficient;
    if (sum == 0) {
      out.coefficients.erase(name);
    }
  }
  return out;
}

Affine operator-(const Affine& a, const Affine& b)
{
  return a + scaled(b, -1);
}

namespace {

std::optional<Affine> affine_binary(const Expr& binary, const Sizes& sizes)
{
  const auto left = affine_of(*binary.args[0], sizes);
  const auto right = affine_of(*binary.args[1], sizes);
  if (!left || !right) {
    return std::nullopt;
  }
  if (binary.name == "+") {
    return within_limit(*left + *right);
  }
  if (binary.name == "-") {
    return within_limit(*left - *right);
  }
  const bool constant_left = left->coefficients.empty();
  const bool constant_right = right->coefficients.empty();
  if (binary.name == "*" && (constant_left || constant_right)) {
    return within_limit(constant_left ? scaled(*right, left->constant) : scaled(*left, right->constant));
  }
  if (constant_left && constant_right && right->constant > 0) {
    if (binary.name == "/") {
      return Affine{left->constant / right->constant, {}};
    }
    if (binary.name == "%") {
      return Affine{left->constant % right->constant, {}};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Affine> affine_of(const Expr& expression, const Sizes& sizes)
{
  switch (expression.kind) {
  case ExprKind::number:
    return expression.integer_literal ? std::optional(Affine{static_cast<std::int64_t>(expression.number), {}})
                                      : std::nullopt;
  case ExprKind::index:
    return Affine{0, {{expression.name, 1}}};
  case ExprKind::extent: {
    const auto found = sizes.find(expression.name);
    return found == sizes.end() ? std::nullopt : std::optional(Affine{found->second, {}});
  }
  case ExprKind::unary:
    if (expression.name == "-") {
      const auto operand = affine_of(*expression.args[0], sizes);
      return operand ? std::optional(scaled(*operand, -1)) : std::nullopt;
    }
    return std::nullopt;
  case ExprKind::binary:
    return affine_binary(expression, sizes);
  default:
    return std::nullopt;
  }
}

} // namespace hone::kernel
