#include "backend/cpu/math_names.h"

#include "util/text.h"

#include <algorithm>
#include <array>
#include <string>

namespace hone::cpu {
namespace {

// In alphabetical order.
constexpr std::array<std::string_view, 72> k_overloaded{"abs",           "acos",       "acosh",
                                                        "asin",          "asinh",      "atan",
                                                        "atan2",         "atanh",      "cbrt",
                                                        "ceil",          "cmath",      "copysign",
                                                        "cos",           "cosh",       "erf",
                                                        "erfc",          "exp",        "exp2",
                                                        "expm1",         "fabs",       "fdim",
                                                        "floor",         "fma",        "fmax",
                                                        "fmin",          "fmod",       "fpclassify",
                                                        "frexp",         "hypot",      "ilogb",
                                                        "isfinite",      "isgreater",  "isgreaterequal",
                                                        "isinf",         "isless",     "islessequal",
                                                        "islessgreater", "isnan",      "isnormal",
                                                        "isunordered",   "ldexp",      "lerp",
                                                        "lgamma",        "llrint",     "llround",
                                                        "log",           "log10",      "log1p",
                                                        "log2",          "logb",       "lrint",
                                                        "lround",        "modf",       "nearbyint",
                                                        "nextafter",     "nexttoward", "pow",
                                                        "remainder",     "remquo",     "rint",
                                                        "round",         "scalbln",    "scalbn",
                                                        "signbit",       "sin",        "sinh",
                                                        "sqrt",          "std",        "tan",
                                                        "tanh",          "tgamma",     "trunc"};

bool is_part_of_a_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where what begins at `at` and is not code ends: a comment or a literal; `at` where it is code.
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
  const char quote = text[at];
  if (quote != '"' && (quote != '\'' || (at > 0 && is_part_of_a_name(text[at - 1])))) { // the latter between digits
    return at;
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

} // namespace

bool names_overloads(std::string_view source)
{
  const std::string text = with_lines_joined(source);
  if (text.contains("R\"")) { // may hold quotes and comments that are none
    return true;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_other_text(text, at);
    if (end > at) {
      at = end;
      continue;
    }
    while (end < text.size() && is_part_of_a_name(text[end])) {
      ++end;
    }
    if (std::ranges::binary_search(k_overloaded, std::string_view(text).substr(at, end - at))) {
      return true;
    }
    at = std::max(end, at + 1);
  }
  return false;
}

std::string_view plain_math()
{
  // <cmath> brings <stdlib.h> along, which code may have got used to.
  return "#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS 1\n#include <math.h>\n#include <stdlib.h>\n"
         "#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS\n#define _GLIBCXX_MATH_H 1\n";
}

} // namespace hone::cpu
