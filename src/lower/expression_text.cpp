#include "lower/expression_text.h"

#include <fmt/format.h>

#include <cmath>

namespace hone {

namespace {

// How tightly a piece binds, tightest first.
constexpr int k_primary = 0;
constexpr int k_unary = 1;
constexpr int k_product = 2;
constexpr int k_addition = 3;
constexpr int k_comparison = 4;
constexpr int k_and = 5;
constexpr int k_or = 6;
constexpr int k_choice = 7;

int level_of(std::string_view op)
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

// Text from outside (the variable that stands for an index) is a name, or a sum.
int level_of_substitute(const std::string& text)
{
  return text.find(' ') == std::string::npos ? k_primary : k_addition;
}

bool is_integer(const Expr& expression)
{
  return !is_float(expression.type);
}

} // namespace

struct ExpressionText::Piece {
  std::string text;
  int level = k_primary;

  std::string inside(int loosest) const { return level <= loosest ? text : "(" + text + ")"; }
};

std::string type_text(DataType type, const Dialect& dialect)
{
  const bool opencl = dialect.work_items;
  switch (type) {
  case DataType::f64:
    return "double";
  case DataType::f32:
    return "float";
  case DataType::f16:
    return opencl ? "half" : "_Float16";
  case DataType::bf16:
    return opencl ? "ushort" : "__bf16";
  case DataType::i64:
    return opencl ? "long" : "int64_t";
  case DataType::i32:
    return opencl ? "int" : "int32_t";
  case DataType::i8:
    return opencl ? "char" : "int8_t";
  case DataType::u8:
    return opencl ? "uchar" : "uint8_t";
  case DataType::boolean:
    return opencl ? "uchar" : "uint8_t";
  }
  return "float";
}

std::string index_type(const Dialect& dialect)
{
  return type_text(DataType::i64, dialect);
}

DataType compute_type(const Kernel& kernel, const Statement& statement)
{
  const bool wide = kernel.accumulate == DataType::f64 || statement.type == DataType::f64;
  return wide ? DataType::f64 : DataType::f32;
}

std::string ExpressionText::literal(double number) const
{
  if (const auto named = constants.find(number); named != constants.end()) {
    return named->second;
  }
  if (std::isinf(number)) {
    return number > 0 ? "INFINITY" : "-INFINITY";
  }
  std::string text =
    m_compute == DataType::f64 ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return m_compute == DataType::f64 ? text : text + "f";
}

std::vector<ExprPtr> ExpressionText::shape_of_tensor(const std::string& name) const
{
  if (const Argument* argument = m_kernel.find_argument(name)) {
    return argument->shape;
  }
  std::vector<ExprPtr> shape;
  for (const Statement& statement : m_kernel.program.statements) {
    if (statement.target == name) {
      for (const IndexRange& range : statement.indices) {
        shape.push_back(range.upper);
      }
      break;
    }
  }
  return shape;
}

Result<std::string> ExpressionText::integer(const Expr& expression)
{
  ProgramBlock before;
  HONE_TRY(const Piece piece, write(expression, before));
  return piece.text;
}

Result<std::string> ExpressionText::value(const Expr& expression, ProgramBlock& before)
{
  return as_value(expression, before, k_choice);
}

// In the compute type: integers (indices, extents) are converted where a number of that type is expected.
Result<std::string> ExpressionText::as_value(const Expr& expression, ProgramBlock& before, int loosest)
{
  if (expression.kind == ExprKind::number) {
    return literal(expression.number);
  }
  HONE_TRY(const Piece piece, write(expression, before));
  if (is_integer(expression) && expression.type != DataType::boolean) {
    return fmt::format("({}){}", type_text(m_compute, m_dialect), piece.inside(k_primary));
  }
  return piece.inside(loosest);
}

Result<std::string> ExpressionText::position(const std::string& tensor, const std::vector<std::string>& subscripts)
{
  const std::vector<ExprPtr> shape = shape_of_tensor(tensor);
  if (shape.size() != subscripts.size()) {
    return fail(
      fmt::format("{} has {} dimensions and is used with {} subscripts", tensor, shape.size(), subscripts.size()));
  }
  if (index_macros && subscripts.size() >= 2) {
    return fmt::format("{}_AT({})", tensor, join(subscripts, ", "));
  }
  Piece sum{"0", k_primary};
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const Piece subscript{subscripts[d], level_of_substitute(subscripts[d])};
    if (d == 0) {
      sum = subscript;
      continue;
    }
    HONE_TRY(const std::string text, integer(*shape[d]));
    const Piece extent{text, level_of_substitute(text)};
    sum = {fmt::format("{} * {} + {}", sum.inside(k_unary), extent.inside(k_unary), subscript.inside(k_addition)),
           k_addition};
  }
  return sum.text;
}

Result<std::string> ExpressionText::position(const Expr& load)
{
  std::vector<std::string> subscripts;
  for (const ExprPtr& argument : load.args) {
    HONE_TRY(std::string text, integer(*argument));
    subscripts.push_back(std::move(text));
  }
  return position(load.name, subscripts);
}

Result<ExpressionText::Piece> ExpressionText::write_load(const Expr& expression)
{
  HONE_TRY(const std::string at, position(expression));
  if (vector_load) {
    return Piece{vector_load(expression, at), k_primary};
  }
  Piece piece{fmt::format("{}[{}]", expression.name, at), k_primary};
  const Argument* argument = m_kernel.find_argument(expression.name);
  const DataType stored = argument != nullptr ? argument->type : expression.type;
  if (m_compute == DataType::f64 && is_float(stored) && stored != DataType::f64) {
    piece = {"(double)" + piece.text, k_unary}; // products of narrower types are formed exactly
  }
  return piece;
}

Result<ExpressionText::Piece> ExpressionText::write_binary(const Expr& expression, ProgramBlock& before)
{
  const Expr& left = *expression.args[0];
  const Expr& right = *expression.args[1];
  const int level = level_of(expression.name);
  // Comparisons of integers stay integer: a float cannot tell large indices apart.
  if (is_integer(left) && is_integer(right) && is_integer(expression)) {
    HONE_TRY(const Piece a, write(left, before));
    HONE_TRY(const Piece b, write(right, before));
    return Piece{fmt::format("{} {} {}", a.inside(level), expression.name, b.inside(level - 1)), level};
  }
  HONE_TRY(const std::string a, as_value(left, before, level));
  HONE_TRY(const std::string b, as_value(right, before, level - 1));
  return Piece{fmt::format("{} {} {}", a, expression.name, b), level};
}

Result<ExpressionText::Piece> ExpressionText::write_call(const Expr& expression, ProgramBlock& before)
{
  std::vector<std::string> arguments;
  for (const ExprPtr& argument : expression.args) {
    HONE_TRY(std::string text, as_value(*argument, before, k_choice));
    arguments.push_back(std::move(text));
  }
  const std::string& name = expression.name;
  const std::string suffix = m_compute == DataType::f32 && !m_dialect.work_items ? "f" : "";
  if (name == "max" || name == "min") {
    const std::string spelled = vector_load ? "hone_" + name : "f" + name + suffix;
    std::string text = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      text = fmt::format("{}({}, {})", spelled, text, arguments[i]);
    }
    return Piece{text, k_primary};
  }
  if (name == "rsqrt") {
    return Piece{fmt::format("{} / sqrt{}({})", literal(1), suffix, arguments[0]), k_product};
  }
  if (name == "sign") {
    return Piece{fmt::format("({0} > 0) - ({0} < 0)", "(" + arguments[0] + ")"), k_addition};
  }
  const std::string spelled = (name == "abs" ? "fabs" : name) + suffix;
  return Piece{fmt::format("{}({})", spelled, join(arguments, ", ")), k_primary};
}

Result<ExpressionText::Piece> ExpressionText::write_reduction(const Expr& expression, ProgramBlock& before)
{
  std::string start;
  std::string name;
  switch (expression.op) {
  case ReduceOp::sum:
    start = literal(0), name = "sum";
    break;
  case ReduceOp::prod:
    start = literal(1), name = "product";
    break;
  case ReduceOp::max:
    start = "-INFINITY", name = "largest";
    break;
  case ReduceOp::min:
    start = "INFINITY", name = "smallest";
    break;
  default:
    return fail("argmax and argmin are not known to the naive printer",
                "give the kernel its own first candidate under start/", expression.place);
  }
  if (m_reductions++ > 0) {
    name += fmt::format("_{}", m_reductions);
  }

  ProgramBlock inner;
  HONE_TRY(const std::string body, as_value(*expression.args[0], inner, k_product));
  const std::string maximum = m_compute == DataType::f32 && !m_dialect.work_items ? "fmaxf" : "fmax";
  const std::string minimum = m_compute == DataType::f32 && !m_dialect.work_items ? "fminf" : "fmin";
  switch (expression.op) {
  case ReduceOp::sum:
    inner.push_back(statement(fmt::format("{} += {};", name, body)));
    break;
  case ReduceOp::prod:
    inner.push_back(statement(fmt::format("{} *= {};", name, body)));
    break;
  case ReduceOp::max:
    inner.push_back(statement(fmt::format("{0} = {1}({0}, {2});", name, maximum, body)));
    break;
  default:
    inner.push_back(statement(fmt::format("{0} = {1}({0}, {2});", name, minimum, body)));
    break;
  }
  if (expression.args.size() > 1 && expression.args[1]) {
    ProgramBlock condition_before;
    HONE_TRY(const Piece condition, write(*expression.args[1], condition_before));
    append(condition_before, {guard(condition.text, std::move(inner))});
    inner = std::move(condition_before);
  }
  for (auto range = expression.ranges.rbegin(); range != expression.ranges.rend(); ++range) {
    std::string lower = "0";
    if (range->lower) {
      HONE_TRY(lower, integer(*range->lower));
    }
    HONE_TRY(const std::string upper, integer(*range->upper));
    inner = {loop(index_type(m_dialect), indices.at(range->name), lower, upper, "1", std::move(inner))};
  }
  before.push_back(statement(fmt::format("{} {} = {};", type_text(m_compute, m_dialect), name, start)));
  append(before, std::move(inner));
  return Piece{name, k_primary};
}

Result<ExpressionText::Piece> ExpressionText::write(const Expr& expression, ProgramBlock& before)
{
  switch (expression.kind) {
  case ExprKind::number:
    return expression.integer_literal
             ? Piece{fmt::format("{}", static_cast<std::int64_t>(expression.number)), k_primary}
             : Piece{literal(expression.number), k_primary};
  case ExprKind::index: {
    const auto found = indices.find(expression.name);
    const std::string text = found == indices.end() ? expression.name : found->second;
    return Piece{text, level_of_substitute(text)};
  }
  case ExprKind::extent:
    return Piece{expression.name, k_primary};
  case ExprKind::load:
    return write_load(expression);
  case ExprKind::unary: {
    HONE_TRY(const Piece operand, write(*expression.args[0], before));
    return Piece{expression.name + operand.inside(k_primary), k_unary};
  }
  case ExprKind::binary:
    return write_binary(expression, before);
  case ExprKind::call:
    return write_call(expression, before);
  case ExprKind::select: {
    HONE_TRY(const Piece condition, write(*expression.args[0], before));
    HONE_TRY(const std::string yes, as_value(*expression.args[1], before, k_or));
    HONE_TRY(const std::string no, as_value(*expression.args[2], before, k_choice));
    return Piece{fmt::format("{} ? {} : {}", condition.inside(k_or), yes, no), k_choice};
  }
  case ExprKind::cast: {
    HONE_TRY(const Piece operand, write(*expression.args[0], before));
    return Piece{fmt::format("({}){}", type_text(expression.type, m_dialect), operand.inside(k_primary)), k_unary};
  }
  case ExprKind::reduce:
    return write_reduction(expression, before);
  case ExprKind::hole:
    return Piece{hole, k_primary};
  }
  return fail("an expression of an unknown kind");
}

} // namespace hone
