#include "backend/cpu/math_names.h"

#include "util/text.h"

#include <algorithm>
#include <array>
#include <string>

namespace hone::backend::cpu {
namespace {

// In alphabetical order. What <cmath> brings along counts, too: placement new is declared in <new>.
constexpr std::array<std::string_view, 73> k_overloaded{
  "abs",         "acos",          "acosh",     "asin",      "asinh",          "atan",       "atan2",
  "atanh",       "cbrt",          "ceil",      "cmath",     "copysign",       "cos",        "cosh",
  "erf",         "erfc",          "exp",       "exp2",      "expm1",          "fabs",       "fdim",
  "floor",       "fma",           "fmax",      "fmin",      "fmod",           "fpclassify", "frexp",
  "hypot",       "ilogb",         "isfinite",  "isgreater", "isgreaterequal", "isinf",      "isless",
  "islessequal", "islessgreater", "isnan",     "isnormal",  "isunordered",    "ldexp",      "lerp",
  "lgamma",      "llrint",        "llround",   "log",       "log10",          "log1p",      "log2",
  "logb",        "lrint",         "lround",    "modf",      "nearbyint",      "new",        "nextafter",
  "nexttoward",  "pow",           "remainder", "remquo",    "rint",           "round",      "scalbln",
  "scalbn",      "signbit",       "sin",       "sinh",      "sqrt",           "std",        "tan",
  "tanh",        "tgamma",        "trunc"};
static_assert(std::ranges::is_sorted(k_overloaded));

bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

bool is_part_of_a_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

// Where what begins at `at` and holds no names ends: a comment, a literal or a number; `at` where it is something else.
std::size_t end_of_other_text(std::string_view text, std::size_t at)
{
  const auto behind = [&](std::string_view closing, std::size_t from) {
    const std::size_t found = text.find(closing, from);
    return found == std::string_view::npos ? text.size() : found + closing.size();
  };
  if (text[at] == '/') {
    const std::string_view rest = text.substr(at);
    return rest.starts_with("//") ? behind("\n", at) : rest.starts_with("/*") ? behind("*/", at + 2) : at;
  }
  if (is_digit(text[at])) { // a quote may stand between digits
    while (at + 1 < text.size() && (is_part_of_a_name(text[at + 1]) || text[at + 1] == '\'')) {
      ++at;
    }
    return at + 1;
  }
  const char quote = text[at];
  if (quote != '"' && quote != '\'') {
    return at;
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

} // namespace

bool needs_cpp_math(std::string_view source)
{
  const std::string text = with_lines_joined(source);
  // A raw string may hold quotes and comments that are none; comparisons in three ways are of types of namespace std.
  if (text.contains("R\"") || text.contains("<=>")) {
    return true;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_other_text(text, at);
    if (end == at) { // a name, or a sign
      while (end < text.size() && is_part_of_a_name(text[end])) {
        ++end;
      }
      if (end > at && std::ranges::binary_search(k_overloaded, std::string_view(text).substr(at, end - at))) {
        return true;
      }
    }
    at = std::max(end, at + 1);
  }
  return false;
}

std::string_view c_math_header()
{
  // <cmath> brings <stdlib.h> along, which code may have got used to.
  return "#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS 1\n#include <math.h>\n#include <stdlib.h>\n"
         "#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS\n#define _GLIBCXX_MATH_H 1\n";
}

} // namespace hone::backend::cpu
