#include "ship/described.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

std::string title_of(const kernel::Kernel& kernel)
{
  const std::string title(trim(kernel.summary));
  return title.empty() ? kernel.name : replace_all(replace_all(title, "\n", " "), "\\", "/");
}

std::string meaning_comment(const kernel::Kernel& kernel)
{
  std::string out;
  for (const std::string& line : split(trim(kernel.expression_text), '\n')) {
    out += "//   " + std::string(trim(line)) + "\n";
  }
  return out;
}

namespace {

std::string order_text(const kernel::Argument& argument)
{
  const auto end = [](const kernel::ExprPtr& expression, double number) {
    return expression ? kernel::to_text(*expression) : fmt::format("{}", number);
  };
  const std::string form =
    argument.matrix == kernel::MatrixForm::dominant ? "; square, with a diagonal that outweighs its row and its column"
    : argument.matrix == kernel::MatrixForm::positive_definite ? "; symmetric, with a diagonal that outweighs its row"
                                                               : "";
  return argument.rising
           ? fmt::format("; never falls along a row, from {} to {}", end(argument.lowest, argument.domain.low),
                         end(argument.highest, argument.domain.high))
           : form;
}

} // namespace

std::string conditions_comment(const kernel::Kernel& kernel)
{
  std::vector<std::string> conditions;
  for (const kernel::ExprPtr& condition : kernel.size_conditions) {
    conditions.push_back(kernel::to_text(*condition));
  }
  return conditions.empty() ? "" : fmt::format("// Sizes must meet: {}.\n", join(conditions, ", "));
}

std::string arguments_comment(const kernel::Kernel& kernel)
{
  std::size_t width = 1;
  for (const kernel::Argument& argument : kernel.arguments) {
    width = std::max(width, argument.name.size());
  }
  std::string out;
  for (const kernel::Argument& argument : kernel.arguments) {
    std::string shape;
    for (const kernel::ExprPtr& extent : argument.shape) {
      shape += (shape.empty() ? "" : " x ") + kernel::to_text(*extent);
    }
    const bool is_half = argument.type == kernel::DataType::f16 || argument.type == kernel::DataType::bf16;
    out += fmt::format("//   {:<{}}  {:<6}  {}{}{}{}\n", argument.name, width, kernel::name_of(argument.role),
                       kernel::name_of(argument.type), shape.empty() ? "" : ", " + shape,
                       is_half ? "; an element is its 16 bits" : "", order_text(argument));
  }
  return out;
}

std::string instructions_text(const std::string& isa)
{
  return isa == "avx512" ? "AVX-512 (F, BW, CD, DQ, VL), AVX2, FMA and BMI2"
         : isa == "avx2" ? "AVX2, FMA and BMI2"
                         : "those of every x86-64";
}

std::string march_of(const std::string& isa)
{
  return isa == "avx512" ? "x86-64-v4" : isa == "avx2" ? "x86-64-v3" : "x86-64";
}

std::string optimisation_flags(const std::string& isa)
{
  const std::string wide = isa == "avx512" ? " -mprefer-vector-width=512" : "";
  return "-O3 -ffp-contract=fast -fno-math-errno -fno-strict-aliasing" + wide;
}

double flops_of(const ExportContext& names)
{
  const Result<kernel::Work> work = kernel::work_of(names.kernel(), names.request.sizes);
  return work ? work->flops : 0;
}

std::string range_text(const Interval& range)
{
  return range.high <= 0
           ? ""
           : fmt::format(" (95 %: {} to {})", format_seconds(std::max(0.0, range.low)), format_seconds(range.high));
}

std::string speed_text(const ExportContext& names, double seconds)
{
  if (seconds <= 0) {
    return "not measured";
  }
  const double flops = flops_of(names);
  const std::string rate = flops > 0 ? fmt::format(", {:.1f} GFLOP/s", flops / seconds * 1e-9) : "";
  return format_seconds(seconds) + rate;
}

} // namespace hone::ship
