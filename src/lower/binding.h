// Precedence of C operators, to print expressions with as few brackets as possible. (internal to the
// room)
#pragma once

#include <string>
#include <string_view>

namespace hone::lower {

// Tightest first.
constexpr int k_primary = 0;
constexpr int k_unary = 1;
constexpr int k_product = 2;
constexpr int k_addition = 3;
constexpr int k_comparison = 4;
constexpr int k_and = 5;
constexpr int k_or = 6;
constexpr int k_choice = 7;

// Of a binary operator.
inline int level_of(std::string_view op)
{
  if (op == "*" || op == "/" || op == "%") {
    return k_product;
  }
  if (op == "+" || op == "-") {
    return k_addition;
  }
  if (op == "&&") {
    return k_and;
  }
  return op == "||" ? k_or : k_comparison;
}

// A text of a level, in brackets where `loosest` is all that may stand there.
inline std::string bracketed(const std::string& text, int level, int loosest)
{
  return level <= loosest ? text : "(" + text + ")";
}

} // namespace hone::lower
