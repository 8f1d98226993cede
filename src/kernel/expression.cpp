// Node builders and printing.
#include "kernel/expression.h"

#include "kernel/expression_types.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

namespace hone::kernel {

namespace {

// How tightly an operator binds; the same order as in the parser.
int precedence_of(std::string_view op)
{
  if (op == "||") {
    return 1;
  }
  if (op == "&&") {
    return 2;
  }
  if (is_comparison(op)) {
    return 3;
  }
  return op == "+" || op == "-" ? 4 : 5;
}

constexpr int k_unary_precedence = 6;

std::string_view name_of_reduction(ReduceOp op)
{
  constexpr std::array<std::string_view, 6> names{"sum", "prod", "max", "min", "argmax", "argmin"};
  return names[static_cast<std::size_t>(op)];
}

std::string print(const Expr& expression, int surrounding);

std::string print_list(const std::vector<ExprPtr>& args)
{
  std::string out;
  for (const ExprPtr& arg : args) {
    out += (out.empty() ? "" : ", ") + print(*arg, 0);
  }
  return out;
}

std::string print_range(const IndexRange& range)
{
  std::string out = range.name;
  if (range.lower) {
    out = print(*range.lower, 4) + " <= " + out;
  }
  return range.upper ? out + " < " + print(*range.upper, 4) : out;
}

std::string print_number(const Expr& number)
{
  std::string text = fmt::format("{}", number.number);
  if (number.integer_literal) {
    return fmt::format("{}", static_cast<std::int64_t>(number.number));
  }
  // Keeps its nature: 2.0 must not come back as the integer 2.
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string print_reduce(const Expr& reduce)
{
  std::string out{name_of_reduction(reduce.op)};
  out += '(';
  for (const IndexRange& range : reduce.ranges) {
    out += print_range(range) + ", ";
  }
  out += print(*reduce.args[0], 0);
  if (reduce.args.size() > 1) {
    out += " where " + print(*reduce.args[1], 0);
  }
  return out + ')';
}

std::string print_binary(const Expr& binary, int surrounding)
{
  const int own = precedence_of(binary.name);
  // Comparisons do not chain when printed: both sides bind tighter.
  const int left = is_comparison(binary.name) ? own + 1 : own;
  std::string out = print(*binary.args[0], left) + " " + binary.name + " " + print(*binary.args[1], own + 1);
  return own < surrounding ? "(" + out + ")" : out;
}

std::string print(const Expr& expression, int surrounding)
{
  switch (expression.kind) {
  case ExprKind::number:
    return print_number(expression);
  case ExprKind::index:
  case ExprKind::extent:
    return expression.name;
  case ExprKind::load:
    return expression.args.empty() ? expression.name : expression.name + "[" + print_list(expression.args) + "]";
  case ExprKind::unary: {
    std::string out = expression.name + print(*expression.args[0], k_unary_precedence);
    return k_unary_precedence < surrounding ? "(" + out + ")" : out;
  }
  case ExprKind::binary:
    return print_binary(expression, surrounding);
  case ExprKind::call:
    return expression.name + "(" + print_list(expression.args) + ")";
  case ExprKind::select:
    return "select(" + print_list(expression.args) + ")";
  case ExprKind::cast:
    return std::string(name_of(expression.type)) + "(" + print_list(expression.args) + ")";
  case ExprKind::reduce:
    return print_reduce(expression);
  case ExprKind::hole:
    return "<sum>";
  }
  return {};
}

bool is_literal(const Expr& expression, double value)
{
  return expression.kind == ExprKind::number && expression.integer_literal && expression.number == value;
}

// The value of `left op right` for integer literals where it is exact; else nothing.
std::optional<double> folded(std::string_view op, const Expr& left, const Expr& right)
{
  if (left.kind != ExprKind::number || right.kind != ExprKind::number || !left.integer_literal
      || !right.integer_literal) {
    return std::nullopt;
  }
  double value = 0;
  if (op == "+") {
    value = left.number + right.number;
  } else if (op == "-") {
    value = left.number - right.number;
  } else if (op == "*") {
    value = left.number * right.number;
  } else {
    return std::nullopt;
  }
  constexpr double k_exact = 9007199254740992.0; // 2^53
  return std::abs(value) <= k_exact ? std::optional(value) : std::nullopt;
}

void collect_reductions(const ExprPtr& expression, std::vector<ExprPtr>& out)
{
  if (expression->kind == ExprKind::reduce && std::ranges::find(out, expression) == out.end()) {
    out.push_back(expression);
  }
  for (const ExprPtr& argument : expression->args) {
    collect_reductions(argument, out);
  }
}

} // namespace

bool is_position(ReduceOp op)
{
  return op == ReduceOp::argmax || op == ReduceOp::argmin;
}

std::vector<ExprPtr> reductions_of(const ExprPtr& expression)
{
  std::vector<ExprPtr> out;
  collect_reductions(expression, out);
  return out;
}

std::string to_text(const Expr& expression)
{
  return print(expression, 0);
}

std::string to_text(const Statement& statement)
{
  std::string out = statement.target;
  std::string subscripts;
  for (const ExprPtr& subscript : subscripts_of(statement)) {
    const auto range = std::ranges::find_if(statement.indices, [&](const IndexRange& index) {
      return subscript->kind == ExprKind::index && index.name == subscript->name;
    });
    const bool with_range = is_ordered(statement) && range != statement.indices.end();
    subscripts += (subscripts.empty() ? "" : ", ") + (with_range ? print_range(*range) : to_text(*subscript));
  }
  if (!subscripts.empty()) {
    out += "[" + subscripts + "]";
  }
  out += " = " + to_text(*statement.value);
  return statement.guard ? out + " where " + to_text(*statement.guard) : out;
}

std::string to_text(const std::vector<SerialLoop>& loops)
{
  std::string out;
  for (const SerialLoop& loop : loops) {
    out += (out.empty() ? "for " : ", ") + print_range(loop.range);
  }
  return out;
}

bool is_ordered(const Program& program)
{
  return std::ranges::any_of(program.statements, [](const Statement& statement) { return is_ordered(statement); });
}

bool names_anywhere(const Expr& expression, const std::string& index)
{
  if (expression.kind == ExprKind::index && expression.name == index) {
    return true;
  }
  const auto names = [&](const ExprPtr& part) { return part && names_anywhere(*part, index); };
  return std::ranges::any_of(expression.args, names)
         || std::ranges::any_of(expression.ranges,
                                [&](const IndexRange& range) { return names(range.lower) || names(range.upper); });
}

std::vector<ExprPtr> extents_of(const Statement& statement)
{
  if (is_ordered(statement)) {
    return statement.extents;
  }
  std::vector<ExprPtr> out;
  for (const IndexRange& range : statement.indices) {
    out.push_back(range.upper);
  }
  return out;
}

std::vector<ExprPtr> subscripts_of(const Statement& statement)
{
  if (is_ordered(statement)) {
    return statement.subscripts;
  }
  std::vector<ExprPtr> out;
  for (const IndexRange& range : statement.indices) {
    out.push_back(make_index(range.name));
  }
  return out;
}

std::size_t end_of_block(const Program& program, std::size_t first)
{
  std::size_t end = first + 1;
  const std::vector<Statement>& all = program.statements;
  while (is_ordered(all[first]) && end < all.size() && is_ordered(all[end])
         && all[end].loops.front().number == all[first].loops.front().number) {
    ++end;
  }
  return end;
}

std::size_t home_of(const Program& program, std::string_view target)
{
  const auto found = std::ranges::find(program.statements, target, &Statement::target);
  return static_cast<std::size_t>(found - program.statements.begin());
}

ExprPtr make_number(double value, bool integer)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::number;
  node->number = value;
  node->integer_literal = integer;
  node->type = integer ? DataType::i64 : DataType::f64;
  return node;
}

ExprPtr make_index(std::string name)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::index;
  node->name = std::move(name);
  node->type = DataType::i64;
  return node;
}

ExprPtr make_extent(std::string name)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::extent;
  node->name = std::move(name);
  node->type = DataType::i64;
  return node;
}

ExprPtr make_binary(std::string op, ExprPtr left, ExprPtr right)
{
  if (const auto value = folded(op, *left, *right)) {
    return make_number(*value, true);
  }
  if ((op == "+" || op == "-") && is_literal(*right, 0)) {
    return left;
  }
  if ((op == "*" || op == "/") && is_literal(*right, 1)) {
    return left;
  }
  if (op == "+" && is_literal(*left, 0)) {
    return right;
  }
  if (op == "*" && is_literal(*left, 1)) {
    return right;
  }
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::binary;
  node->type = is_comparison(op) || is_logical(op) ? DataType::boolean : joined_type(*left, *right);
  node->place = left->place;
  node->name = std::move(op);
  node->args = {std::move(left), std::move(right)};
  return node;
}

ExprPtr make_hole(DataType type)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::hole;
  node->type = type;
  return node;
}

} // namespace hone::kernel
