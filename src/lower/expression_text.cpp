// Long because one class prints every kind of expression; bracketing and local names are shared by all of them.
#include "lower/expression_text.h"

#include "lower/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::lower {

namespace {

// "(...)" with the last bracket closing the first.
bool is_bracketed(const std::string& text)
{
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) {
      return i > 0 && i + 1 == text.size();
    }
  }
  return false;
}

// Text from outside (the variable that stands for an index, a subscript) is a name, something in brackets, or a sum.
int level_of_substitute(const std::string& text)
{
  if (is_bracketed(text)) {
    return k_primary;
  }
  return text.find(' ') == std::string::npos ? k_primary : k_addition;
}

// An integer or a condition: no number of the type that is computed in.
bool is_discrete(const kernel::Expr& expression)
{
  return !kernel::is_float(expression.type);
}

} // namespace

struct ExpressionText::Piece {
  std::string text;
  int level = k_primary;

  std::string inside(int loosest) const { return bracketed(text, level, loosest); }
};

std::string index_type(const Dialect& dialect)
{
  return type_text(kernel::DataType::i64, dialect);
}

kernel::DataType compute_type(const kernel::Kernel& kernel, const kernel::Statement& statement)
{
  const bool wide = kernel.accumulate == kernel::DataType::f64 || statement.type == kernel::DataType::f64;
  return wide ? kernel::DataType::f64 : kernel::DataType::f32;
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
    m_compute == kernel::DataType::f64 ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return m_compute == kernel::DataType::f64 ? text : text + "f";
}

Result<std::string> ExpressionText::integer_text(const kernel::Expr& expression)
{
  ProgramBlock before;
  return whole(expression, before);
}

Result<std::string> ExpressionText::whole(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(const Piece piece, write(expression, before));
  return piece.inside(k_addition);
}

Result<std::string> ExpressionText::value(const kernel::Expr& expression, ProgramBlock& before)
{
  return as_value(expression, before, k_choice);
}

// In the compute type: integers (indices, extents) are converted where a number of that type is expected.
Result<std::string> ExpressionText::as_value(const kernel::Expr& expression, ProgramBlock& before, int loosest)
{
  if (expression.kind == kernel::ExprKind::number) {
    return literal(expression.number);
  }
  HONE_TRY(const Piece piece, write(expression, before));
  const bool integer = is_discrete(expression) && expression.type != kernel::DataType::boolean
                       && expression.kind != kernel::ExprKind::hole;
  if (integer) {
    return fmt::format("({}){}", type_text(m_compute, m_dialect), piece.inside(k_primary));
  }
  return piece.inside(loosest);
}

// Integers are computed in 64 bits; a narrower element is widened before it meets another.
Result<ExpressionText::Piece> ExpressionText::wide(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(Piece piece, write(expression, before));
  const bool narrow = expression.kind == kernel::ExprKind::load || expression.kind == kernel::ExprKind::cast;
  if (narrow && expression.type != kernel::DataType::i64 && is_discrete(expression)
      && expression.type != kernel::DataType::boolean) {
    piece = {fmt::format("({}){}", index_type(m_dialect), piece.inside(k_primary)), k_unary};
  }
  return piece;
}

Result<std::string> ExpressionText::store(const std::string& target, kernel::DataType type, const std::string& at,
                                          const kernel::Expr& value, ProgramBlock& before)
{
  if (!kernel::is_float(type)) {
    HONE_TRY(const Piece piece, wide(value, before));
    return fmt::format("{}[{}] = {};", target, at, piece.text);
  }
  HONE_TRY(const std::string text, as_value(value, before, k_choice));
  if (type == kernel::DataType::bf16) {
    return fmt::format("{}[{}] = hone_to_bf16({});", target, at, text);
  }
  if (type == kernel::DataType::f16 && m_dialect.work_items) {
    return fmt::format("vstore_half({}, {}, {});", text, at, target);
  }
  return fmt::format("{}[{}] = {};", target, at, text);
}

Result<std::string> ExpressionText::position(const std::string& tensor, const std::vector<std::string>& subscripts)
{
  const std::vector<kernel::ExprPtr> shape = kernel::shape_of_tensor(m_kernel, tensor);
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
    HONE_TRY(const std::string text, integer_text(*shape[d]));
    const Piece extent{text, level_of_substitute(text)};
    sum = {fmt::format("{} * {} + {}", sum.inside(k_unary), extent.inside(k_unary), subscript.inside(k_addition)),
           k_addition};
  }
  return sum.text;
}

Result<std::string> ExpressionText::position(const kernel::Expr& load)
{
  std::vector<std::string> subscripts;
  for (const kernel::ExprPtr& argument : load.args) {
    HONE_TRY(std::string text, integer_text(*argument));
    subscripts.push_back(std::move(text));
  }
  return position(load.name, subscripts);
}

Result<ExpressionText::Piece> ExpressionText::write_load(const kernel::Expr& expression)
{
  HONE_TRY(const std::string at, position(expression));
  Piece piece{fmt::format("{}[{}]", expression.name, at), k_primary};
  const kernel::Argument* argument = m_kernel.find_argument(expression.name);
  const kernel::DataType stored = argument != nullptr ? argument->type : expression.type;
  switch (stored) {
  case kernel::DataType::bf16:
    return Piece{fmt::format("hone_to_float({})", piece.text), k_primary};
  case kernel::DataType::f16: // arithmetic on halves would round to half
    return m_dialect.work_items ? Piece{fmt::format("vload_half({}, {})", at, expression.name), k_primary}
                                : Piece{"(float)" + piece.text, k_unary};
  case kernel::DataType::boolean:
    return m_dialect.work_items ? Piece{piece.text + " != 0", k_comparison} : piece;
  case kernel::DataType::f32:
    // Products of narrower types are formed exactly.
    return m_compute == kernel::DataType::f64 ? Piece{"(double)" + piece.text, k_unary} : piece;
  default:
    return piece;
  }
}

// Both sides of && and ||. What the right side needs before it (the loop of a sum) runs only where it counts.
Result<ExpressionText::Piece> ExpressionText::write_logical(const kernel::Expr& expression, ProgramBlock& before)
{
  const int level = level_of(expression.name);
  HONE_TRY(const Piece left, write(*expression.args[0], before));
  ProgramBlock inner;
  m_known.emplace_back();
  HONE_TRY(const Piece right, write(*expression.args[1], inner));
  m_known.pop_back();
  if (inner.empty()) {
    return Piece{fmt::format("{} {} {}", left.inside(level), expression.name, right.inside(level - 1)), level};
  }
  const std::string name = fresh("holds");
  before.push_back(statement(fmt::format("{} {} = {};", m_dialect.work_items ? "int" : "bool", name, left.text)));
  inner.push_back(statement(fmt::format("{} = {};", name, right.text)));
  before.push_back(guard(expression.name == "&&" ? name : "!" + name, std::move(inner)));
  return Piece{name, k_primary};
}

Result<ExpressionText::Piece> ExpressionText::write_binary(const kernel::Expr& expression, ProgramBlock& before)
{
  const kernel::Expr& left = *expression.args[0];
  const kernel::Expr& right = *expression.args[1];
  const int level = level_of(expression.name);
  if (expression.name == "&&" || expression.name == "||") {
    return write_logical(expression, before);
  }
  // Comparisons of integers stay integer: a float cannot tell large indices apart.
  if (is_discrete(left) && is_discrete(right) && is_discrete(expression)) {
    HONE_TRY(const Piece a, wide(left, before));
    HONE_TRY(const Piece b, wide(right, before));
    return Piece{fmt::format("{} {} {}", a.inside(level), expression.name, b.inside(level - 1)), level};
  }
  HONE_TRY(const std::string a, as_value(left, before, level));
  HONE_TRY(const std::string b, as_value(right, before, level - 1));
  return Piece{fmt::format("{} {} {}", a, expression.name, b), level};
}

Result<ExpressionText::Piece> ExpressionText::write_integer_call(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(const Piece first, wide(*expression.args[0], before));
  std::string text = first.inside(k_unary);
  if (expression.name == "abs") {
    return Piece{fmt::format("{0} < 0 ? -({0}) : {0}", text), k_choice};
  }
  if (expression.name == "sign") {
    return Piece{fmt::format("({0} > 0) - ({0} < 0)", text), k_addition};
  }
  Piece out;
  for (std::size_t i = 1; i < expression.args.size(); ++i) {
    HONE_TRY(const Piece next, wide(*expression.args[i], before));
    const std::string other = next.inside(k_unary);
    out = {fmt::format("{0} {1} {2} ? {0} : {2}", text, expression.name == "max" ? ">" : "<", other), k_choice};
    text = out.inside(k_primary);
  }
  return out;
}

Result<ExpressionText::Piece> ExpressionText::write_call(const kernel::Expr& expression, ProgramBlock& before)
{
  if (!kernel::is_float(expression.type)) {
    return write_integer_call(expression, before);
  }
  std::vector<std::string> arguments;
  for (const kernel::ExprPtr& argument : expression.args) {
    HONE_TRY(std::string text, as_value(*argument, before, k_choice));
    arguments.push_back(std::move(text));
  }
  const std::string& name = expression.name;
  const std::string suffix = m_compute == kernel::DataType::f32 && !m_dialect.work_items ? "f" : "";
  if (name == "max" || name == "min") {
    const std::string spelled = "f" + name + suffix;
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
    return Piece{fmt::format("({0})(({1} > 0) - ({1} < 0))", type_text(m_compute, m_dialect), "(" + arguments[0] + ")"),
                 k_unary};
  }
  const std::string spelled = (name == "abs" ? "fabs" : name) + suffix;
  return Piece{fmt::format("{}({})", spelled, join(arguments, ", ")), k_primary};
}

std::string ExpressionText::fresh(const std::string& name)
{
  const int number = ++m_names[name];
  std::string out = number == 1 ? name : fmt::format("{}_{}", name, number);
  const auto taken = [&](const std::string& wanted) {
    return std::ranges::find(m_kernel.symbols, wanted) != m_kernel.symbols.end()
           || m_kernel.find_argument(wanted) != nullptr
           || std::ranges::any_of(m_kernel.program.statements,
                                  [&](const kernel::Statement& other) { return other.target == wanted; })
           || std::ranges::any_of(indices, [&](const auto& entry) { return entry.second == wanted; });
  };
  while (taken(out)) {
    out += "_";
  }
  return out;
}

const std::string* ExpressionText::known(const kernel::Expr& expression) const
{
  for (const auto& scope : m_known) {
    if (const auto found = scope.find(&expression); found != scope.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

// The value that a reduction begins with.
std::string ExpressionText::start_of(kernel::ReduceOp op, bool integer) const
{
  switch (op) {
  case kernel::ReduceOp::sum:
    return integer ? "0" : literal(0);
  case kernel::ReduceOp::prod:
    return integer ? "1" : literal(1);
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::argmax:
    return integer ? (m_dialect.work_items ? "LONG_MIN" : "INT64_MIN") : "-INFINITY";
  default:
    return integer ? (m_dialect.work_items ? "LONG_MAX" : "INT64_MAX") : "INFINITY";
  }
}

// One round: `name` takes `body` in. Positions are kept beside it.
ProgramBlock ExpressionText::take(const kernel::Expr& reduce, const std::string& name, const std::string& body,
                                  bool integer)
{
  const std::string suffix = m_compute == kernel::DataType::f32 && !m_dialect.work_items ? "f" : "";
  switch (reduce.op) {
  case kernel::ReduceOp::sum:
    return {statement(fmt::format("{} += {};", name, body))};
  case kernel::ReduceOp::prod:
    return {statement(fmt::format("{} *= {};", name, body))};
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::min: {
    const bool larger = reduce.op == kernel::ReduceOp::max;
    if (!integer) {
      return {statement(fmt::format("{0} = {1}{2}({0}, {3});", name, larger ? "fmax" : "fmin", suffix, body))};
    }
    const std::string value = fresh("value");
    return {statement(fmt::format("const {} {} = {};", index_type(m_dialect), value, body)),
            statement(fmt::format("{0} = {1} {2} {0} ? {1} : {0};", name, value, larger ? ">" : "<"))};
  }
  default:
    break;
  }
  const std::string value = fresh("value");
  const std::string type = integer ? index_type(m_dialect) : type_text(m_compute, m_dialect);
  const std::string position = name + "_at";
  const char* better = reduce.op == kernel::ReduceOp::argmax ? ">" : "<";
  return {statement(fmt::format("const {} {} = {};", type, value, body)),
          guard(fmt::format("{0} {1} {2} || ({3} < 0 && {0} == {2})", value, better, name, position),
                {statement(fmt::format("{} = {};", name, value)),
                 statement(fmt::format("{} = {};", position, indices.at(reduce.ranges.front().name)))})};
}

Result<ExpressionText::Piece> ExpressionText::write_reduction(const kernel::Expr& expression, ProgramBlock& before)
{
  if (const std::string* name = known(expression)) {
    return Piece{*name, k_primary};
  }
  const std::string name = fresh(name_of_result(expression.op));
  const bool position = expression.op == kernel::ReduceOp::argmax || expression.op == kernel::ReduceOp::argmin;
  const kernel::Expr& reduced = *expression.args[0];
  const bool integer = is_discrete(position ? reduced : expression);

  m_known.emplace_back();
  ProgramBlock inner;
  std::string body;
  if (integer) {
    HONE_TRY(const Piece piece, wide(reduced, inner));
    body = piece.inside(k_product);
  } else {
    HONE_TRY(body, as_value(reduced, inner, k_product));
  }
  append(inner, take(expression, name, body, integer));
  m_known.pop_back();
  if (expression.args.size() > 1 && expression.args[1]) {
    m_known.emplace_back();
    ProgramBlock condition_before;
    HONE_TRY(const Piece condition, write(*expression.args[1], condition_before));
    m_known.pop_back();
    append(condition_before, {guard(condition.text, std::move(inner))});
    inner = std::move(condition_before);
  }
  for (auto range = expression.ranges.rbegin(); range != expression.ranges.rend(); ++range) {
    std::string lower = "0";
    if (range->lower) {
      HONE_TRY(lower, integer_text(*range->lower));
    }
    HONE_TRY(const std::string upper, integer_text(*range->upper));
    inner = {loop(index_type(m_dialect), indices.at(range->name), lower, upper, "1", std::move(inner))};
  }
  const std::string type = integer ? index_type(m_dialect) : type_text(m_compute, m_dialect);
  before.push_back(statement(fmt::format("{} {} = {};", type, name, start_of(expression.op, integer))));
  if (position) {
    before.push_back(statement(fmt::format("{} {}_at = -1;", index_type(m_dialect), name)));
  }
  append(before, std::move(inner));
  const std::string result = position ? name + "_at" : name;
  m_known.back()[&expression] = result;
  return Piece{result, k_primary};
}

// A branch that needs loops before it becomes an if: they must not run, and read, where it is not taken.
Result<ExpressionText::Piece> ExpressionText::write_select(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(const Piece condition, write(*expression.args[0], before));
  const bool integer = is_discrete(expression);
  std::array<ProgramBlock, 2> blocks;
  std::array<std::string, 2> values;
  for (std::size_t branch = 0; branch < 2; ++branch) {
    m_known.emplace_back();
    const kernel::Expr& value = *expression.args[branch + 1];
    const int loosest = branch == 0 ? k_or : k_choice;
    if (integer) {
      HONE_TRY(const Piece piece, wide(value, blocks[branch]));
      values[branch] = piece.inside(loosest);
    } else {
      HONE_TRY(values[branch], as_value(value, blocks[branch], loosest));
    }
    m_known.pop_back();
  }
  if (blocks[0].empty() && blocks[1].empty()) {
    return Piece{fmt::format("{} ? {} : {}", condition.inside(k_or), values[0], values[1]), k_choice};
  }
  const std::string name = fresh("chosen");
  before.push_back(
    statement(fmt::format("{} {};", integer ? index_type(m_dialect) : type_text(m_compute, m_dialect), name)));
  for (std::size_t branch = 0; branch < 2; ++branch) {
    blocks[branch].push_back(statement(fmt::format("{} = {};", name, values[branch])));
  }
  before.push_back(guard(condition.text, std::move(blocks[0])));
  before.push_back(braced("else", std::move(blocks[1])));
  return Piece{name, k_primary};
}

Result<ExpressionText::Piece> ExpressionText::write_cast(const kernel::Expr& expression, ProgramBlock& before)
{
  const kernel::Expr& operand = *expression.args[0];
  if (!kernel::is_float(expression.type)) {
    HONE_TRY(const Piece piece, write(operand, before));
    // By way of 64 bits, where integers wrap: from a float straight to a narrow type is undefined out of range.
    const std::string whole = fmt::format("({}){}", index_type(m_dialect), piece.inside(k_primary));
    return Piece{expression.type == kernel::DataType::i64
                   ? whole
                   : fmt::format("({}){}", type_text(expression.type, m_dialect), whole),
                 k_unary};
  }
  HONE_TRY(const std::string text, as_value(operand, before, k_primary));
  const std::string compute = type_text(m_compute, m_dialect);
  if (expression.type == kernel::DataType::bf16) {
    return Piece{fmt::format("hone_to_float(hone_to_bf16({}))", text), k_primary};
  }
  if (expression.type == kernel::DataType::f16) {
    return m_dialect.work_items ? Piece{fmt::format("hone_rounded_to_half({})", text), k_primary}
                                : Piece{fmt::format("({})(hone_f16){}", compute, text), k_unary};
  }
  const bool narrows = expression.type == kernel::DataType::f32 && m_compute == kernel::DataType::f64;
  return Piece{narrows ? fmt::format("(double)(float){}", text) : text, narrows ? k_unary : k_primary};
}

Result<ExpressionText::Piece> ExpressionText::write(const kernel::Expr& expression, ProgramBlock& before)
{
  switch (expression.kind) {
  case kernel::ExprKind::number:
    return expression.integer_literal
             ? Piece{fmt::format("{}", static_cast<std::int64_t>(expression.number)), k_primary}
             : Piece{literal(expression.number), k_primary};
  case kernel::ExprKind::index: {
    const auto found = indices.find(expression.name);
    const std::string text = found == indices.end() ? expression.name : found->second;
    return Piece{text, level_of_substitute(text)};
  }
  case kernel::ExprKind::extent:
    return Piece{expression.name, k_primary};
  case kernel::ExprKind::load:
    return write_load(expression);
  case kernel::ExprKind::unary: {
    HONE_TRY(const Piece operand, wide(*expression.args[0], before));
    const std::string text = operand.inside(k_primary);
    const bool apart = text.starts_with('-'); // "--x" would mean something else
    return Piece{expression.name + (apart ? "(" + text + ")" : text), k_unary};
  }
  case kernel::ExprKind::binary:
    return write_binary(expression, before);
  case kernel::ExprKind::call:
    return write_call(expression, before);
  case kernel::ExprKind::select:
    return write_select(expression, before);
  case kernel::ExprKind::cast:
    return write_cast(expression, before);
  case kernel::ExprKind::reduce:
    return write_reduction(expression, before);
  case kernel::ExprKind::hole:
    return Piece{hole, k_primary};
  }
  return fail("an expression of an unknown kind");
}

} // namespace hone::lower
