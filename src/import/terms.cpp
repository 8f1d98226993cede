#include "import/terms.h"

#include "import/polynomial.h"
#include "import/tiles.h"

#include <algorithm>

namespace hone::import {

namespace {

std::shared_ptr<kernel::Expr> node_of(kernel::ExprKind kind, kernel::DataType type)
{
  auto out = std::make_shared<kernel::Expr>();
  out->kind = kind;
  out->type = type;
  return out;
}

// For telling numbers from integers; exact types are the checker's business.
kernel::DataType wider(const std::vector<kernel::ExprPtr>& values)
{
  kernel::DataType out = values[0]->type;
  for (const kernel::ExprPtr& value : values) {
    if (!kernel::is_float(out)
        || (kernel::is_float(value->type) && kernel::size_of(value->type) > kernel::size_of(out))) {
      out = value->type;
    }
  }
  return out;
}

bool is_comparison_of(const kernel::Expr& condition, const kernel::ExprPtr& a, const kernel::ExprPtr& b, bool less)
{
  const bool matches =
    less ? condition.name == "<" || condition.name == "<=" : condition.name == ">" || condition.name == ">=";
  return matches && same(condition.args[0], a) && same(condition.args[1], b);
}

void collect_free(const kernel::Expr& expression, std::set<std::string>& bound, std::set<std::string>& out)
{
  if (expression.kind == kernel::ExprKind::index && !bound.contains(expression.name)) {
    out.insert(expression.name);
  }
  for (const kernel::IndexRange& range : expression.ranges) {
    if (range.lower) {
      collect_free(*range.lower, bound, out);
    }
    collect_free(*range.upper, bound, out);
    bound.insert(range.name);
  }
  for (const kernel::ExprPtr& arg : expression.args) {
    collect_free(*arg, bound, out);
  }
}

} // namespace

kernel::ExprPtr make_load(std::string name, std::vector<kernel::ExprPtr> subscripts, kernel::DataType type)
{
  auto out = node_of(kernel::ExprKind::load, type);
  out->name = std::move(name);
  out->args = std::move(subscripts);
  return out;
}

kernel::ExprPtr make_call(std::string function, std::vector<kernel::ExprPtr> args)
{
  auto out = node_of(kernel::ExprKind::call, wider(args));
  out->name = std::move(function);
  out->args = std::move(args);
  return out;
}

kernel::ExprPtr make_cast(kernel::DataType type, kernel::ExprPtr value)
{
  auto out = node_of(kernel::ExprKind::cast, type);
  out->args = {std::move(value)};
  return out;
}

kernel::ExprPtr make_reduction(kernel::ReduceOp op, kernel::IndexRange range, kernel::ExprPtr body,
                               kernel::ExprPtr guard)
{
  if (range.lower && is_literal(*range.lower, 0)) {
    range.lower = nullptr;
  }
  // One reduction over two indices where that says the same.
  const bool nested = !guard && body->kind == kernel::ExprKind::reduce && body->op == op;
  auto out = node_of(kernel::ExprKind::reduce, body->type);
  out->op = op;
  out->ranges = {std::move(range)};
  if (nested) {
    for (std::size_t i = 0; i < body->ranges.size(); ++i) {
      const auto whole = merged(out->ranges[0], body->ranges[i]);
      auto all = std::make_shared<kernel::Expr>(*body);
      if (whole) {
        all->ranges[i] = *whole;
        if (!mentions_index(all, out->ranges[0].name)) {
          return all;
        }
      }
    }
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

bool is_literal(const kernel::Expr& expression, double value)
{
  return expression.kind == kernel::ExprKind::number && expression.number == value;
}

kernel::ExprPtr negated(kernel::ExprPtr value)
{
  if (value->kind == kernel::ExprKind::number) {
    return kernel::make_number(-value->number, value->integer_literal);
  }
  auto out = node_of(kernel::ExprKind::unary, value->type);
  out->name = "-";
  out->args = {std::move(value)};
  return out;
}

kernel::ExprPtr arithmetic(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right)
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
  const bool integers = !kernel::is_float(left->type) && !kernel::is_float(right->type);
  kernel::ExprPtr out = kernel::make_binary(op, std::move(left), std::move(right));
  return integers ? normal(out) : out;
}

kernel::ExprPtr compared(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right)
{
  auto out = node_of(kernel::ExprKind::binary, kernel::DataType::boolean);
  out->name = op;
  out->args = {std::move(left), std::move(right)};
  return out;
}

kernel::ExprPtr both(kernel::ExprPtr a, kernel::ExprPtr b)
{
  return !a ? b : !b || same(a, b) ? a : compared("&&", std::move(a), std::move(b));
}

kernel::ExprPtr opposite(const kernel::ExprPtr& condition)
{
  static const std::map<std::string, std::string> k_opposites{{"<", ">="}, {">=", "<"},  {">", "<="},
                                                              {"<=", ">"}, {"==", "!="}, {"!=", "=="}};
  if (condition->kind == kernel::ExprKind::unary && condition->name == "!") {
    return condition->args[0];
  }
  const auto turned = k_opposites.find(condition->name);
  if (condition->kind == kernel::ExprKind::binary && turned != k_opposites.end()
      && !kernel::is_float(condition->args[0]->type) && !kernel::is_float(condition->args[1]->type)) {
    return compared(turned->second, condition->args[0], condition->args[1]); // not of floats: NaN is neither
  }
  auto out = node_of(kernel::ExprKind::unary, kernel::DataType::boolean);
  out->name = "!";
  out->args = {condition};
  return out;
}

kernel::ExprPtr as_condition(const kernel::ExprPtr& value)
{
  if (value->kind == kernel::ExprKind::select && is_literal(*value->args[1], 1) && is_literal(*value->args[2], 0)) {
    return value->args[0]; // a condition that was made a number
  }
  return is_condition(*value) ? value : compared("!=", value, kernel::make_number(0, true));
}

kernel::ExprPtr as_number(const kernel::ExprPtr& value)
{
  return is_condition(*value) ? choice(value, kernel::make_number(1, true), kernel::make_number(0, true)) : value;
}

namespace {

// The language selects between numbers only.
kernel::ExprPtr choice_of_conditions(const kernel::ExprPtr& condition, const kernel::ExprPtr& a,
                                     const kernel::ExprPtr& b)
{
  if (a->kind == kernel::ExprKind::number) {
    return is_literal(*a, 0) ? compared("&&", opposite(condition), b) : compared("||", condition, b);
  }
  if (b->kind == kernel::ExprKind::number) {
    return is_literal(*b, 0) ? compared("&&", condition, a) : compared("||", opposite(condition), a);
  }
  return compared("||", compared("&&", condition, as_condition(a)),
                  compared("&&", opposite(condition), as_condition(b)));
}

// Whether two values differ in the order of factors at most: elements of the two halves of a symmetric matrix.
bool same_but_for_order(const kernel::ExprPtr& a, const kernel::ExprPtr& b)
{
  if (same(a, b)) {
    return true;
  }
  const auto is_one = [&](kernel::ExprKind kind) { return a->kind == kind && b->kind == kind; };
  if (is_one(kernel::ExprKind::binary) && a->name == b->name) {
    const bool straight = same_but_for_order(a->args[0], b->args[0]) && same_but_for_order(a->args[1], b->args[1]);
    return straight
           || (a->name == "*" && same_but_for_order(a->args[0], b->args[1])
               && same_but_for_order(a->args[1], b->args[0]));
  }
  const bool reductions = is_one(kernel::ExprKind::reduce) && a->op == b->op && a->ranges.size() == b->ranges.size()
                          && a->args.size() == 1 && b->args.size() == 1;
  const auto same_range = [](const kernel::IndexRange& x, const kernel::IndexRange& y) {
    return x.name == y.name && same(x.lower, y.lower) && same(x.upper, y.upper);
  };
  return reductions && std::ranges::equal(a->ranges, b->ranges, same_range)
         && same_but_for_order(a->args[0], b->args[0]);
}

} // namespace

kernel::ExprPtr choice(const kernel::ExprPtr& condition, kernel::ExprPtr a, kernel::ExprPtr b)
{
  if (!condition || is_mark(*b, "@undefined") || same_but_for_order(a, b)) {
    return a;
  }
  if (is_mark(*a, "@undefined")) {
    return b;
  }
  if (a->kind == kernel::ExprKind::select && same(a->args[0], condition)) {
    return choice(condition, a->args[1], b);
  }
  if (b->kind == kernel::ExprKind::select && same(b->args[0], condition)) {
    return choice(condition, a, b->args[2]);
  }
  if (b->kind == kernel::ExprKind::select && holds_reduction(*a) && same_but_for_order(a, b->args[1])) {
    return choice(compared("||", condition, b->args[0]), a, b->args[2]);
  }
  if (is_condition(*a) || is_condition(*b)) {
    return choice_of_conditions(condition, a, b);
  }
  if (condition->kind == kernel::ExprKind::unary && condition->name == "!") {
    return choice(condition->args[0], b, a);
  }
  if (condition->kind == kernel::ExprKind::binary && condition->args.size() == 2) {
    if (is_comparison_of(*condition, a, b, false) || is_comparison_of(*condition, b, a, true)) {
      return make_call("max", {a, b});
    }
    if (is_comparison_of(*condition, a, b, true) || is_comparison_of(*condition, b, a, false)) {
      return make_call("min", {a, b});
    }
  }
  auto out = node_of(kernel::ExprKind::select, wider({a, b}));
  out->args = {condition, std::move(a), std::move(b)};
  return out;
}

bool is_condition(const kernel::Expr& expression)
{
  return expression.type == kernel::DataType::boolean;
}

bool same(const kernel::ExprPtr& a, const kernel::ExprPtr& b)
{
  return a == b || (a && b && kernel::to_text(*a) == kernel::to_text(*b));
}

int nodes_of(const kernel::Expr& expression)
{
  int out = 1;
  for (const kernel::ExprPtr& arg : expression.args) {
    out += nodes_of(*arg);
  }
  return out;
}

kernel::ExprPtr rewritten(const kernel::ExprPtr& expression,
                          const std::function<kernel::ExprPtr(const kernel::ExprPtr&)>& change)
{
  if (!expression) {
    return nullptr;
  }
  if (kernel::ExprPtr instead = change(expression)) {
    return instead;
  }
  auto out = std::make_shared<kernel::Expr>(*expression);
  bool changed = false;
  const auto visit = [&](kernel::ExprPtr& part) {
    kernel::ExprPtr next = rewritten(part, change);
    changed = changed || next != part;
    part = std::move(next);
  };
  for (kernel::IndexRange& range : out->ranges) {
    visit(range.lower);
    visit(range.upper);
  }
  std::ranges::for_each(out->args, visit);
  return changed ? out : expression;
}

kernel::ExprPtr simplified(const kernel::ExprPtr& expression)
{
  return rewritten(expression, [](const kernel::ExprPtr& node) -> kernel::ExprPtr {
    const bool sum =
      node->kind == kernel::ExprKind::binary && (node->name == "+" || node->name == "-" || node->name == "*");
    if (!sum || !kernel::is_float(node->type)) {
      return nullptr;
    }
    return arithmetic(node->name, simplified(node->args[0]), simplified(node->args[1]));
  });
}

kernel::ExprPtr with_indices(const kernel::ExprPtr& expression, const std::map<std::string, kernel::ExprPtr>& values)
{
  if (!expression || values.empty()) {
    return expression;
  }
  const auto replace = [&](const kernel::ExprPtr& node) -> kernel::ExprPtr {
    const auto found = node->kind == kernel::ExprKind::index ? values.find(node->name) : values.end();
    return found == values.end() ? nullptr : found->second;
  };
  const auto tidy = [&](const kernel::ExprPtr& node) -> kernel::ExprPtr {
    const bool integer = node->kind == kernel::ExprKind::binary && node->type == kernel::DataType::i64;
    return integer ? normal(rewritten(node, replace)) : replace(node);
  };
  return rewritten(expression, tidy);
}

bool any_node(const kernel::Expr& expression, const std::function<bool(const kernel::Expr&)>& test)
{
  const auto below = [&](const kernel::ExprPtr& part) { return part && any_node(*part, test); };
  return test(expression) || std::ranges::any_of(expression.args, below)
         || std::ranges::any_of(expression.ranges, [&](const kernel::IndexRange& range) {
              return below(range.lower) || below(range.upper);
            });
}

void collect_sizes(const kernel::Expr& expression, std::set<std::string>& out)
{
  any_node(expression, [&](const kernel::Expr& node) {
    if (node.kind == kernel::ExprKind::extent) {
      out.insert(node.name);
    }
    return false;
  });
}

bool holds_reduction(const kernel::Expr& expression)
{
  return any_node(expression, [](const kernel::Expr& node) { return node.kind == kernel::ExprKind::reduce; });
}

bool mentions_index(const kernel::ExprPtr& expression, const std::string& index)
{
  return expression && any_node(*expression, [&](const kernel::Expr& node) {
           return node.kind == kernel::ExprKind::index && node.name == index;
         });
}

std::set<std::string> free_indices(const kernel::Expr& expression)
{
  std::set<std::string> bound;
  std::set<std::string> out;
  collect_free(expression, bound, out);
  return out;
}

bool is_mark(const kernel::Expr& expression, std::string_view mark)
{
  return expression.kind == kernel::ExprKind::load && expression.name.starts_with(mark);
}

bool holds_mark(const kernel::Expr& expression)
{
  return any_node(expression, [](const kernel::Expr& node) { return is_mark(node, "@"); });
}

std::string written_name(const std::string& index)
{
  return index.substr(0, index.find('#'));
}

} // namespace hone::import
