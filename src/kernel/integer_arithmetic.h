// 64-bit integer arithmetic that reports overflow and division by zero. (internal to the room)
#pragma once

#include "kernel/plan_expression.h"

#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <string_view>

namespace hone::kernel {

// + - * / % and comparisons (1 or 0); the error says what went wrong, without a place.
inline std::expected<std::int64_t, std::string> integer_operation(std::string_view op, std::int64_t a, std::int64_t b)
{
  std::int64_t out = 0;
  if (op == "+" || op == "-" || op == "*") {
    const bool overflow = op == "+"   ? __builtin_add_overflow(a, b, &out)
                          : op == "-" ? __builtin_sub_overflow(a, b, &out)
                                      : __builtin_mul_overflow(a, b, &out);
    if (overflow) {
      return std::unexpected(std::string(k_leaves_64_bits));
    }
    return out;
  }
  if (op == "/" || op == "%") {
    if (b == 0) {
      return std::unexpected("division by zero");
    }
    if (b == -1) {
      return op == "%" ? std::expected<std::int64_t, std::string>(0) : integer_operation("-", 0, a);
    }
    return op == "/" ? a / b : a % b;
  }
  if (op == "==") {
    return a == b;
  }
  if (op == "!=") {
    return a != b;
  }
  if (op == "<") {
    return a < b;
  }
  if (op == "<=") {
    return a <= b;
  }
  if (op == ">") {
    return a > b;
  }
  if (op == ">=") {
    return a >= b;
  }
  return std::unexpected(std::string(op).append(" is not an integer operator"));
}

} // namespace hone::kernel
