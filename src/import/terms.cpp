#include "import/terms.h"

#include "import/polynomial.h"

#include <algorithm>

namespace hone {

namespace {

std::shared_ptr<Expr> node_of(ExprKind kind, DataType type)
{
  auto out = std::make_shared<Expr>();
  out->kind = kind;
  out->type = type;
  return out;
}

// For telling numbers from integers; exact types are the checker's business.
DataType wider(const std::vector<ExprPtr>& values)
{
  DataType out = values[0]->type;
  for (const ExprPtr& value : values) {
    if (!is_float(out) || (is_float(value->type) && size_of(value->type) > size_of(out))) {
      out = value->type;
    }
  }
  return out;
}

bool is_comparison_of(const Expr& condition, const ExprPtr& a, const ExprPtr& b, bool less)
{
  const bool matches =
    less ? condition.name == "<" || condition.name == "<=" : condition.name == ">" || condition.name == ">=";
  return matches && same(condition.args[0], a) && same(condition.args[1], b);
}

void collect_free(const Expr& expression, std::set<std::string>& bound, std::set<std::string>& out)
{
  if (expression.kind == ExprKind::index && !bound.contains(expression.name)) {
    out.insert(expression.name);
  }
  for (const IndexRange& range : expression.ranges) {
    if (range.lower) {
      collect_free(*range.lower, bound, out);
    }
    collect_free(*range.upper, bound, out);
    bound.insert(range.name);
  }
  for (const ExprPtr& arg : expression.args) {
    collect_free(*arg, bound, out);
  }
}

} // namespace

ExprPtr make_load(std::string name, std::vector<ExprPtr> subscripts, DataType type)
{
  auto out = node_of(ExprKind::load, type);
  out->name = std::move(name);
  out->args = std::move(subscripts);
  return out;
}

ExprPtr make_call(std::string function, std::vector<ExprPtr> args)
{
  auto out = node_of(ExprKind::call, wider(args));
  out->name = std::move(function);
  out->args = std::move(args);
  return out;
}

ExprPtr make_cast(DataType type, ExprPtr value)
{
  auto out = node_of(ExprKind::cast, type);
  out->args = {std::move(value)};
  return out;
}

ExprPtr make_reduction(ReduceOp op, IndexRange range, ExprPtr body, ExprPtr guard)
{
  if (range.lower && is_literal(*range.lower, 0)) {
    range.lower = nullptr;
  }
  // One reduction over two indices where that says the same.
  const bool nested = !guard && body->kind == ExprKind::reduce && body->op == op;
  auto out = node_of(ExprKind::reduce, body->type);
  out->op = op;
  out->ranges = {std::move(range)};
  if (nested) {
    out->ranges.insert(out->ranges.end(), body->ranges.begin(), body->ranges.end());
    out->args = body->args;
    return out;
  }
  out->args = {std::move(body)};
  if (guard) {
    out->args.push_back(std::move(guard));
  }
  return out;
}

bool is_literal(const Expr& expression, double value)
{
  return expression.kind == ExprKind::number && expression.number == value;
}

ExprPtr negated(ExprPtr value)
{
  if (value->kind == ExprKind::number) {
    return make_number(-value->number, value->integer_literal);
  }
  auto out = node_of(ExprKind::unary, value->type);
  out->name = "-";
  out->args = {std::move(value)};
  return out;
}

ExprPtr arithmetic(const std::string& op, ExprPtr left, ExprPtr right)
{
  if (op == "+" && (is_literal(*left, 0) || is_literal(*right, 0))) {
    return is_literal(*left, 0) ? right : left;
  }
  if (op == "-" && (is_literal(*left, 0) || is_literal(*right, 0))) {
    return is_literal(*right, 0) ? left : negated(right);
  }
  if ((op == "*" && is_literal(*left, 1))) {
    return right;
  }
  if ((op == "*" || op == "/") && is_literal(*right, 1)) {
    return left;
  }
  const bool integers = !is_float(left->type) && !is_float(right->type);
  ExprPtr out = make_binary(op, std::move(left), std::move(right));
  return integers ? normal(out) : out;
}

ExprPtr compared(const std::string& op, ExprPtr left, ExprPtr right)
{
  auto out = node_of(ExprKind::binary, DataType::boolean);
  out->name = op;
  out->args = {std::move(left), std::move(right)};
  return out;
}

ExprPtr both(ExprPtr a, ExprPtr b)
{
  return !a ? b : !b || same(a, b) ? a : compared("&&", std::move(a), std::move(b));
}

ExprPtr opposite(const ExprPtr& condition)
{
  static const std::map<std::string, std::string> k_opposites{{"<", ">="}, {">=", "<"},  {">", "<="},
                                                              {"<=", ">"}, {"==", "!="}, {"!=", "=="}};
  if (condition->kind == ExprKind::unary && condition->name == "!") {
    return condition->args[0];
  }
  const auto turned = k_opposites.find(condition->name);
  if (condition->kind == ExprKind::binary && turned != k_opposites.end() && !is_float(condition->args[0]->type)
      && !is_float(condition->args[1]->type)) {
    return compared(turned->second, condition->args[0], condition->args[1]); // not of floats: NaN is neither
  }
  auto out = node_of(ExprKind::unary, DataType::boolean);
  out->name = "!";
  out->args = {condition};
  return out;
}

ExprPtr choice(const ExprPtr& condition, ExprPtr a, ExprPtr b)
{
  if (!condition || same(a, b) || is_mark(*b, "@undefined")) {
    return a;
  }
  if (is_mark(*a, "@undefined")) {
    return b;
  }
  if (condition->kind == ExprKind::unary && condition->name == "!") {
    return choice(condition->args[0], b, a);
  }
  if (condition->kind == ExprKind::binary && condition->args.size() == 2) {
    if (is_comparison_of(*condition, a, b, false) || is_comparison_of(*condition, b, a, true)) {
      return make_call("max", {a, b});
    }
    if (is_comparison_of(*condition, a, b, true) || is_comparison_of(*condition, b, a, false)) {
      return make_call("min", {a, b});
    }
  }
  auto out = node_of(ExprKind::select, wider({a, b}));
  out->args = {condition, std::move(a), std::move(b)};
  return out;
}

bool is_condition(const Expr& expression)
{
  return expression.type == DataType::boolean && expression.kind != ExprKind::load;
}

bool same(const ExprPtr& a, const ExprPtr& b)
{
  return a == b || (a && b && to_text(*a) == to_text(*b));
}

int nodes_of(const Expr& expression)
{
  int out = 1;
  for (const ExprPtr& arg : expression.args) {
    out += nodes_of(*arg);
  }
  return out;
}

ExprPtr rewritten(const ExprPtr& expression, const std::function<ExprPtr(const ExprPtr&)>& change)
{
  if (!expression) {
    return nullptr;
  }
  if (ExprPtr instead = change(expression)) {
    return instead;
  }
  auto out = std::make_shared<Expr>(*expression);
  bool changed = false;
  const auto visit = [&](ExprPtr& part) {
    ExprPtr next = rewritten(part, change);
    changed = changed || next != part;
    part = std::move(next);
  };
  for (IndexRange& range : out->ranges) {
    visit(range.lower);
    visit(range.upper);
  }
  std::ranges::for_each(out->args, visit);
  return changed ? out : expression;
}

ExprPtr simplified(const ExprPtr& expression)
{
  return rewritten(expression, [](const ExprPtr& node) -> ExprPtr {
    const bool sum = node->kind == ExprKind::binary && (node->name == "+" || node->name == "-" || node->name == "*");
    if (!sum || !is_float(node->type)) {
      return nullptr;
    }
    return arithmetic(node->name, simplified(node->args[0]), simplified(node->args[1]));
  });
}

ExprPtr with_indices(const ExprPtr& expression, const std::map<std::string, ExprPtr>& values)
{
  if (!expression || values.empty()) {
    return expression;
  }
  const auto replace = [&](const ExprPtr& node) -> ExprPtr {
    const auto found = node->kind == ExprKind::index ? values.find(node->name) : values.end();
    return found == values.end() ? nullptr : found->second;
  };
  const auto tidy = [&](const ExprPtr& node) -> ExprPtr {
    const bool integer = node->kind == ExprKind::binary && node->type == DataType::i64;
    return integer ? normal(rewritten(node, replace)) : replace(node);
  };
  return rewritten(expression, tidy);
}

bool any_node(const Expr& expression, const std::function<bool(const Expr&)>& test)
{
  const auto below = [&](const ExprPtr& part) { return part && any_node(*part, test); };
  return test(expression) || std::ranges::any_of(expression.args, below)
         || std::ranges::any_of(expression.ranges,
                                [&](const IndexRange& range) { return below(range.lower) || below(range.upper); });
}

bool holds_reduction(const Expr& expression)
{
  return any_node(expression, [](const Expr& node) { return node.kind == ExprKind::reduce; });
}

bool mentions_index(const ExprPtr& expression, const std::string& index)
{
  return expression
         && any_node(*expression, [&](const Expr& node) { return node.kind == ExprKind::index && node.name == index; });
}

std::set<std::string> free_indices(const Expr& expression)
{
  std::set<std::string> bound;
  std::set<std::string> out;
  collect_free(expression, bound, out);
  return out;
}

bool is_mark(const Expr& expression, std::string_view mark)
{
  return expression.kind == ExprKind::load && expression.name.starts_with(mark);
}

bool holds_mark(const Expr& expression)
{
  return any_node(expression, [](const Expr& node) { return is_mark(node, "@"); });
}

std::string written_name(const std::string& index)
{
  return index.substr(0, index.find('#'));
}

} // namespace hone
