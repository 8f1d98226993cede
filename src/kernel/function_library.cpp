#include "kernel/function_library.h"

#include "kernel/expression_lexer.h"

#include <algorithm>
#include <array>

namespace hone::kernel {

namespace {

constexpr std::array<std::string_view, 1> k_x{"x"};
constexpr std::array<std::string_view, 2> k_x_alpha{"x", "alpha"};
constexpr std::array<std::string_view, 3> k_x_low_high{"x", "low", "high"};

// The forms that stay finite wherever the result is: softplus by its larger part, sigmoid by a division.
constexpr std::array<LibraryFunction, 19> k_library{{
  {"clamp", k_x_low_high, "min(max(x, low), high)"},
  {"elu", k_x_alpha, "select(x > 0, x, alpha * (exp(x) - 1))"},
  {"gelu", k_x, "0.5 * x * (1 + erf(x * 0.7071067811865476))"},
  {"gelu_tanh", k_x, "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))"},
  {"hardsigmoid", k_x, "min(max(x / 6 + 0.5, 0), 1)"},
  {"hardswish", k_x, "x * min(max(x / 6 + 0.5, 0), 1)"},
  {"hardtanh", k_x_low_high, "min(max(x, low), high)"},
  {"leaky_relu", k_x_alpha, "select(x > 0, x, alpha * x)"},
  {"mish", k_x, "x * tanh(max(x, 0) + log1p(exp(-abs(x))))"},
  {"relu", k_x, "max(x, 0)"},
  {"relu6", k_x, "min(max(x, 0), 6)"},
  {"selu", k_x, "1.0507009873554805 * select(x > 0, x, 1.6732632423543772 * (exp(x) - 1))"},
  {"sigmoid", k_x, "1 / (1 + exp(-x))"},
  {"silu", k_x, "x / (1 + exp(-x))"},
  {"softplus", k_x, "max(x, 0) + log1p(exp(-abs(x)))"},
  {"softsign", k_x, "x / (1 + abs(x))"},
  {"square", k_x, "x * x"},
  {"swish", k_x, "x / (1 + exp(-x))"},
  {"tanhshrink", k_x, "x - tanh(x)"},
}};

} // namespace

std::span<const LibraryFunction> library_functions()
{
  return k_library;
}

std::vector<const LibraryFunction*> library_functions_in(const Kernel& kernel)
{
  std::vector<Error> errors; // the text was read before
  const std::vector<Token> tokens =
    tokenize(kernel.expression_text, SourceMap::of_text(kernel.expression_text, kernel.name), errors);
  std::vector<const LibraryFunction*> out;
  for (const LibraryFunction& function : k_library) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].text == function.name && tokens[i + 1].text == "(") {
        out.push_back(&function);
        break;
      }
    }
  }
  return out;
}

const LibraryFunction* find_library_function(std::string_view name)
{
  const auto found = std::ranges::find(k_library, name, &LibraryFunction::name);
  return found == k_library.end() ? nullptr : &*found;
}

} // namespace hone::kernel
