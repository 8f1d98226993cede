#include "import/facts.h"

#include <algorithm>
#include <cstdlib>

namespace hone::import {

namespace {

constexpr int k_most_steps = 6;

bool is_integer_comparison(const kernel::Expr& condition)
{
  return condition.kind == kernel::ExprKind::binary && condition.args.size() == 2 && condition.name != "&&"
         && condition.name != "||" && !kernel::is_float(condition.args[0]->type)
         && !kernel::is_float(condition.args[1]->type) && condition.args[0]->type != kernel::DataType::boolean;
}

bool is_size_term(const Polynomial& p, const Monomial& monomial)
{
  return std::ranges::all_of(
    monomial, [&](const std::string& name) { return p.atoms.at(name)->kind == kernel::ExprKind::extent; });
}

// Not negative by its terms alone: only sizes, each at least 1, none subtracted.
bool plainly_positive(const Polynomial& p)
{
  std::int64_t least = 0;
  for (const auto& [monomial, factor] : p.terms) {
    if (!is_size_term(p, monomial) || (factor < 0 && !monomial.empty())) {
      return false;
    }
    least += factor;
  }
  return least >= 0;
}

// The terms that have to go before the rest can be plainly positive: one that stands in the way, else any.
std::vector<Monomial> obstacles(const Polynomial& p)
{
  std::vector<Monomial> any;
  for (const auto& [monomial, factor] : p.terms) {
    if (monomial.empty()) {
      continue;
    }
    if (factor < 0 || !is_size_term(p, monomial)) {
      return {monomial};
    }
    any.push_back(monomial);
  }
  return any;
}

} // namespace

void Facts::assume(const kernel::ExprPtr& condition, bool holds)
{
  if (condition->kind == kernel::ExprKind::unary && condition->name == "!") {
    assume(condition->args[0], !holds);
    return;
  }
  if (condition->kind == kernel::ExprKind::binary && condition->name == (holds ? "&&" : "||")) {
    assume(condition->args[0], holds);
    assume(condition->args[1], holds);
    return;
  }
  m_conditions.emplace_back(kernel::to_text(*condition), holds);
  if (!is_integer_comparison(*condition)) {
    return;
  }
  const Polynomial difference = polynomial_of(*condition->args[1]) - polynomial_of(*condition->args[0]); // b - a
  const Polynomial one = Polynomial::constant(1);
  const std::string& op = condition->name;
  if (op == (holds ? "<" : ">=")) {
    assume_nonnegative(difference - one);
  } else if (op == (holds ? "<=" : ">")) {
    assume_nonnegative(difference);
  } else if (op == (holds ? ">" : "<=")) {
    assume_nonnegative(scaled(difference, -1) - one);
  } else if (op == (holds ? ">=" : "<")) {
    assume_nonnegative(scaled(difference, -1));
  } else if (op == (holds ? "==" : "!=")) {
    assume_nonnegative(difference);
    assume_nonnegative(scaled(difference, -1));
  }
}

void Facts::assume_range(const kernel::IndexRange& range)
{
  const Polynomial index = polynomial_of(*kernel::make_index(range.name));
  assume_nonnegative(range.lower ? index - polynomial_of(*range.lower) : index);
  assume_nonnegative(polynomial_of(*range.upper) - index - Polynomial::constant(1));
}

bool Facts::proves(const Polynomial& nonnegative) const
{
  return search(nonnegative, k_most_steps);
}

// Subtracts known facts until what is left is plainly not negative, one term after another.
bool Facts::search(const Polynomial& p, int depth) const
{
  if (plainly_positive(p)) {
    return true;
  }
  if (depth == 0) {
    return false;
  }
  for (const Monomial& monomial : obstacles(p)) {
    const std::int64_t factor = p.terms.at(monomial);
    for (const Polynomial& fact : m_known) {
      const auto same = fact.terms.find(monomial);
      if (same == fact.terms.end() || (same->second > 0) != (factor > 0)) {
        continue;
      }
      if (search(scaled(p, std::abs(same->second)) - scaled(fact, std::abs(factor)), depth - 1)) {
        return true;
      }
    }
  }
  return false;
}

std::optional<bool> Facts::decide_comparison(const kernel::Expr& comparison) const
{
  const Polynomial difference = polynomial_of(*comparison.args[1]) - polynomial_of(*comparison.args[0]);
  const Polynomial one = Polynomial::constant(1);
  const auto below = [&](bool or_equal) { return proves(or_equal ? difference : difference - one); };
  const auto above = [&](bool or_equal) {
    const Polynomial opposite = scaled(difference, -1);
    return proves(or_equal ? opposite : opposite - one);
  };
  const std::string& op = comparison.name;
  const auto answer = [](bool yes, bool no) -> std::optional<bool> {
    return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
  };
  if (op == "<") {
    return answer(below(false), above(true));
  }
  if (op == "<=") {
    return answer(below(true), above(false));
  }
  if (op == ">") {
    return answer(above(false), below(true));
  }
  if (op == ">=") {
    return answer(above(true), below(false));
  }
  const bool equal = below(true) && above(true);
  const bool differ = below(false) || above(false);
  return op == "==" ? answer(equal, differ) : answer(differ, equal);
}

std::optional<bool> Facts::decide(const kernel::Expr& condition) const
{
  if (condition.kind == kernel::ExprKind::unary && condition.name == "!") {
    const auto operand = decide(*condition.args[0]);
    return operand ? std::optional(!*operand) : std::nullopt;
  }
  if (condition.kind == kernel::ExprKind::binary && (condition.name == "&&" || condition.name == "||")) {
    const bool stops = condition.name == "||";
    const auto left = decide(*condition.args[0]);
    const auto right = decide(*condition.args[1]);
    if ((left && *left == stops) || (right && *right == stops)) {
      return stops;
    }
    return left && right ? std::optional(!stops) : std::nullopt;
  }
  const std::string text = kernel::to_text(condition);
  for (const auto& [known, holds] : m_conditions) {
    if (known == text) {
      return holds;
    }
  }
  return is_integer_comparison(condition) ? decide_comparison(condition) : std::nullopt;
}

} // namespace hone::import
