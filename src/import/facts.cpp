#include "import/facts.h"

#include <algorithm>
#include <cstdlib>

namespace hone::import {

namespace {

constexpr int k_most_steps = 6;
constexpr int k_most_tries = 300; // polynomials that one proof looks at

bool is_integer_comparison(const kernel::Expr& condition)
{
  return condition.kind == kernel::ExprKind::binary && condition.args.size() == 2 && condition.name != "&&"
         && condition.name != "||" && !kernel::is_float(condition.args[0]->type)
         && !kernel::is_float(condition.args[1]->type) && condition.args[0]->type != kernel::DataType::boolean;
}

bool plainly_positive(const Polynomial& p);

// Sizes, quotients and remainders of sizes, and what has an unsigned type: never negative.
bool is_nonnegative_atom(const kernel::Expr& atom)
{
  const bool holds_type = atom.kind == kernel::ExprKind::load || atom.kind == kernel::ExprKind::cast;
  const bool is_unsigned = holds_type && kernel::is_unsigned(atom.type);
  if (atom.kind == kernel::ExprKind::extent || is_unsigned) {
    return true;
  }
  const bool divides = atom.kind == kernel::ExprKind::binary && (atom.name == "/" || atom.name == "%");
  return divides && only_sizes(atom) && plainly_positive(polynomial_of(*atom.args[0]))
         && plainly_positive(polynomial_of(*atom.args[1]));
}

bool is_size_term(const Polynomial& p, const Monomial& monomial)
{
  return std::ranges::all_of(monomial, [&](const std::string& name) { return is_nonnegative_atom(*p.atoms.at(name)); });
}

// Not negative by its terms alone: only sizes, each at least 1, none subtracted. A quotient of sizes may be 0.
bool plainly_positive(const Polynomial& p)
{
  std::int64_t least = 0;
  for (const auto& [monomial, factor] : p.terms) {
    if (!is_size_term(p, monomial) || (factor < 0 && !monomial.empty())) {
      return false;
    }
    const bool at_least_one = std::ranges::all_of(
      monomial, [&](const std::string& name) { return p.atoms.at(name)->kind == kernel::ExprKind::extent; });
    least += at_least_one ? factor : 0;
  }
  return least >= 0;
}

// The same polynomial with another one in the place of an atom that is linear in it.
std::optional<Polynomial> with_atom(const Polynomial& p, const std::string& atom, const kernel::Expr& value)
{
  const auto split = linear_in(p, atom);
  return split ? std::optional(split->factor * polynomial_of(value) + split->rest) : std::nullopt;
}

bool is_extreme(const kernel::Expr& atom, std::string_view name)
{
  return atom.kind == kernel::ExprKind::call && atom.name == name && atom.args.size() == 2;
}

// The factor of an atom where it is a constant.
std::int64_t constant_factor(const Polynomial& p, const std::string& atom)
{
  const auto split = p.mentions(atom) ? linear_in(p, atom) : std::nullopt;
  return split ? split->factor.as_constant().value_or(0) : 0;
}

void add_to(Polynomial& p, const Monomial& monomial, std::int64_t factor)
{
  Polynomial more;
  more.terms[monomial] = factor;
  p = p + more;
}

// What is left of a monomial without another one that it contains; nothing when it does not.
std::optional<Monomial> without(const Monomial& monomial, const Monomial& part)
{
  if (!std::ranges::includes(monomial, part)) {
    return std::nullopt;
  }
  Monomial rest;
  std::ranges::set_difference(monomial, part, std::back_inserter(rest));
  return rest;
}

// The terms that have to go before the rest can be plainly positive: one that stands in the way, else any. Indices go
// first, since what bounds them may bring sizes that go against what is subtracted.
std::vector<Monomial> obstacles(const Polynomial& p)
{
  std::vector<Monomial> any;
  std::optional<Monomial> subtracted;
  for (const auto& [monomial, factor] : p.terms) {
    if (monomial.empty()) {
      continue;
    }
    if (!is_size_term(p, monomial)) {
      return {monomial};
    }
    subtracted = factor < 0 ? monomial : subtracted;
    any.push_back(monomial);
  }
  return subtracted ? std::vector<Monomial>{*subtracted} : any;
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
  if (condition->kind == kernel::ExprKind::binary && (condition->name == "&&" || condition->name == "||")) {
    for (const std::size_t side : {0, 1}) { // not both, and one is known: it is the other
      if (decide(*condition->args[side]) == !holds) {
        assume(condition->args[1 - side], holds);
      }
    }
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
  } else if (op == (holds ? "!=" : "==")) {
    m_unequal.push_back(difference);
    use_inequalities();
  }
}

// p >= 0 says more where p holds a maximum that is subtracted, or a minimum.
void Facts::assume_nonnegative(Polynomial p)
{
  m_known.push_back(p);
  for (const auto& [name, atom] : p.atoms) {
    const std::int64_t factor = constant_factor(p, name);
    if ((factor < 0 && is_extreme(*atom, "max")) || (factor > 0 && is_extreme(*atom, "min"))) {
      for (const kernel::ExprPtr& arg : atom->args) {
        assume_nonnegative(*with_atom(p, name, *arg));
      }
    }
  }
  use_inequalities();
}

// x != 0 and x >= 0 say x >= 1.
void Facts::use_inequalities()
{
  const Polynomial one = Polynomial::constant(1);
  for (std::size_t i = 0; i < m_unequal.size(); ++i) {
    for (const int sign : {1, -1}) {
      const Polynomial p = scaled(m_unequal[i], sign);
      if (proves(p)) {
        m_unequal.erase(m_unequal.begin() + static_cast<std::ptrdiff_t>(i));
        assume_nonnegative(p - one);
        return;
      }
    }
  }
}

// What holds for the quotients and remainders in a polynomial: c * (a / c) <= a < c * (a / c) + c, 0 <= a % c < c.
std::vector<Polynomial> Facts::known_of_atoms(const Polynomial& p) const
{
  std::vector<Polynomial> out;
  int tries = k_most_tries;
  const Polynomial one = Polynomial::constant(1);
  for (const auto& [name, atom] : p.atoms) {
    const bool divides = atom->kind == kernel::ExprKind::binary && (atom->name == "/" || atom->name == "%");
    if (!divides || kernel::is_float(atom->type)) {
      continue;
    }
    const Polynomial a = polynomial_of(*atom->args[0]);
    const Polynomial c = polynomial_of(*atom->args[1]);
    // A divisor that is not negative is not 0 either: the code divides by it.
    if (!plainly_positive(c) || !(plainly_positive(a) || search(a, m_known, k_most_steps, tries))) {
      continue;
    }
    const Polynomial self = polynomial_of(*atom);
    out.push_back(self);
    if (atom->name == "%") {
      out.push_back(c - self - one);
      out.push_back(a - self);
    } else {
      out.push_back(a - c * self);
      out.push_back(c * self + c - one - a);
    }
  }
  return out;
}

void Facts::assume_range(const kernel::IndexRange& range)
{
  const Polynomial index = polynomial_of(*kernel::make_index(range.name));
  assume_nonnegative(range.lower ? index - polynomial_of(*range.lower) : index);
  assume_nonnegative(polynomial_of(*range.upper) - index - Polynomial::constant(1));
}

bool Facts::proves(const Polynomial& nonnegative) const
{
  for (const auto& [name, atom] : nonnegative.atoms) {
    const std::int64_t factor = constant_factor(nonnegative, name);
    if (factor == 0 || !(is_extreme(*atom, "max") || is_extreme(*atom, "min"))) {
      continue;
    }
    const bool first = proves(*with_atom(nonnegative, name, *atom->args[0]));
    const bool second = proves(*with_atom(nonnegative, name, *atom->args[1]));
    const bool either = is_extreme(*atom, "max") == (factor > 0); // one of the two bounds it already
    return either ? first || second : first && second;
  }
  int tries = k_most_tries;
  std::vector<Polynomial> known = m_known;
  Polynomial all = nonnegative;
  for (const Polynomial& one : m_known) {
    all.atoms.insert(one.atoms.begin(), one.atoms.end());
  }
  const std::vector<Polynomial> more = known_of_atoms(all);
  known.insert(known.end(), more.begin(), more.end());
  if (search(nonnegative, known, k_most_steps, tries)) {
    return true;
  }
  // c * p > -c is p >= 0 for integers; c divides something here.
  for (const auto& [name, atom] : all.atoms) {
    const bool divides = atom->kind == kernel::ExprKind::binary && atom->name == "/" && nonnegative.mentions(name);
    const Polynomial c = divides ? polynomial_of(*atom->args[1]) : Polynomial();
    if (divides && plainly_positive(c)
        && search(c * nonnegative + c - Polynomial::constant(1), known, k_most_steps, tries)) {
      return true;
    }
  }
  return false;
}

// Subtracts known facts until what is left is plainly not negative, one term after another. A fact times sizes is a
// fact too.
bool Facts::search(const Polynomial& p, const std::vector<Polynomial>& known, int depth, int& tries) const
{
  if (plainly_positive(p)) {
    return true;
  }
  if (depth == 0 || --tries < 0) {
    return false;
  }
  for (const Monomial& monomial : obstacles(p)) {
    const std::int64_t factor = p.terms.at(monomial);
    for (const Polynomial& fact : known) {
      for (const auto& [part, times] : fact.terms) {
        const bool opposes = part.empty() || (times > 0) != (factor > 0);
        const auto rest = opposes ? std::nullopt : without(monomial, part);
        if (!rest || !is_size_term(p, *rest)) {
          continue;
        }
        Polynomial sizes;
        sizes.atoms = p.atoms;
        sizes.terms[*rest] = std::abs(factor);
        if (search(scaled(p, std::abs(times)) - fact * sizes, known, depth - 1, tries)) {
          return true;
        }
      }
    }
    for (const auto& [larger, times] : p.terms) { // m * n - n: m is at least 1
      const auto rest = factor < 0 && times > 0 ? without(larger, monomial) : std::nullopt;
      if (rest && rest->size() == 1 && p.atoms.at(rest->front())->kind == kernel::ExprKind::extent
          && is_size_term(p, monomial)) {
        Polynomial less = p;
        const std::int64_t both = std::min(times, -factor);
        add_to(less, larger, -both);
        add_to(less, monomial, both);
        if (search(less, known, depth, tries)) {
          return true;
        }
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
