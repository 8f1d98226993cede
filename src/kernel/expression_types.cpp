#include "kernel/expression_types.h"

#include <algorithm>

namespace hone::kernel {

namespace {

// Position in the order of promotion; the larger wins.
int rank_of(DataType type)
{
  switch (type) {
  case DataType::boolean:
    return 0;
  case DataType::u8:
    return 1;
  case DataType::i8:
    return 2;
  case DataType::u16:
    return 3;
  case DataType::i16:
    return 4;
  case DataType::u32:
    return 5;
  case DataType::i32:
    return 6;
  case DataType::i64:
    return 7;
  case DataType::f16:
    return 8;
  case DataType::bf16:
    return 9;
  case DataType::f32:
    return 10;
  case DataType::f64:
    return 11;
  }
  return 11;
}

} // namespace

bool is_integer(DataType type)
{
  return !is_float(type) && type != DataType::boolean;
}

bool is_comparison(std::string_view op)
{
  return op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

bool is_logical(std::string_view op)
{
  return op == "&&" || op == "||";
}

bool is_weak(const Expr& expression)
{
  switch (expression.kind) {
  case ExprKind::number:
  case ExprKind::index:
  case ExprKind::extent:
    return true;
  case ExprKind::unary:
  case ExprKind::binary:
  case ExprKind::call:
    return std::ranges::all_of(expression.args, [](const ExprPtr& arg) { return is_weak(*arg); });
  default:
    return false;
  }
}

DataType joined_type(const Expr& left, const Expr& right)
{
  const bool weak_left = is_weak(left);
  const bool weak_right = is_weak(right);
  if (weak_left != weak_right) {
    const Expr& strong = weak_left ? right : left;
    const Expr& weak = weak_left ? left : right;
    if (is_float(strong.type) || is_integer(weak.type)) {
      return strong.type;
    }
    return DataType::f64;
  }
  // f16 and bf16 have no common half: their sum is f32.
  const auto is_half = [](DataType type) { return type == DataType::f16 || type == DataType::bf16; };
  if (is_half(left.type) && is_half(right.type) && left.type != right.type) {
    return DataType::f32;
  }
  return rank_of(left.type) >= rank_of(right.type) ? left.type : right.type;
}

} // namespace hone::kernel
