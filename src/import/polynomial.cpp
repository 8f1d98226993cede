#include "import/polynomial.h"

#include <algorithm>
#include <cstdlib>

namespace hone::import {

namespace {

void add_term(Polynomial& to, const Monomial& monomial, std::int64_t factor)
{
  std::int64_t& sum = to.terms[monomial];
  sum += factor;
  if (sum == 0) {
    to.terms.erase(monomial);
  }
}

Polynomial atom(const kernel::Expr& expression)
{
  const std::string name = kernel::to_text(expression);
  Polynomial out;
  out.terms[{name}] = 1;
  out.atoms[name] = std::make_shared<kernel::Expr>(expression);
  return out;
}

Polynomial of_binary(const kernel::Expr& binary)
{
  const Polynomial left = polynomial_of(*binary.args[0]);
  const Polynomial right = polynomial_of(*binary.args[1]);
  if (binary.name == "+") {
    return left + right;
  }
  if (binary.name == "-") {
    return left - right;
  }
  if (binary.name == "*") {
    return left * right;
  }
  const auto a = left.as_constant();
  const auto b = right.as_constant();
  if (a && b && *b > 0 && (binary.name == "/" || binary.name == "%")) {
    return Polynomial::constant(binary.name == "/" ? *a / *b : *a % *b);
  }
  return atom(binary);
}

// Leading terms first: by degree, then by name. A fixed order that is compatible with multiplication.
bool leads(const Monomial& a, const Monomial& b)
{
  return a.size() != b.size() ? a.size() > b.size() : a < b;
}

const Monomial& leading(const Polynomial& p)
{
  return std::ranges::min_element(p.terms, leads, [](const auto& term) -> const Monomial& { return term.first; })
    ->first;
}

// Indices first, then sizes, constants last; what is subtracted after what is added.
std::vector<std::pair<Monomial, std::int64_t>> in_writing_order(const Polynomial& p)
{
  std::vector<std::pair<Monomial, std::int64_t>> out(p.terms.begin(), p.terms.end());
  const auto rank = [&](const std::pair<Monomial, std::int64_t>& term) {
    const bool index =
      std::ranges::any_of(term.first, [&](const std::string& name) { return !only_sizes(*p.atoms.at(name)); });
    return (term.second < 0 ? 4 : 0) + (term.first.empty() ? 2 : index ? 0 : 1);
  };
  std::ranges::stable_sort(out, {}, rank);
  return out;
}

} // namespace

Polynomial Polynomial::constant(std::int64_t value)
{
  Polynomial out;
  if (value != 0) {
    out.terms[{}] = value;
  }
  return out;
}

std::optional<std::int64_t> Polynomial::as_constant() const
{
  if (terms.empty()) {
    return 0;
  }
  return terms.size() == 1 && terms.begin()->first.empty() ? std::optional(terms.begin()->second) : std::nullopt;
}

bool Polynomial::mentions(const std::string& name) const
{
  return std::ranges::any_of(terms,
                             [&](const auto& term) { return std::ranges::find(term.first, name) != term.first.end(); });
}

Polynomial operator+(const Polynomial& a, const Polynomial& b)
{
  Polynomial out = a;
  out.atoms.insert(b.atoms.begin(), b.atoms.end());
  for (const auto& [monomial, factor] : b.terms) {
    add_term(out, monomial, factor);
  }
  return out;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b)
{
  return a + scaled(b, -1);
}

Polynomial operator*(const Polynomial& a, const Polynomial& b)
{
  Polynomial out;
  out.atoms = a.atoms;
  out.atoms.insert(b.atoms.begin(), b.atoms.end());
  for (const auto& [left, x] : a.terms) {
    for (const auto& [right, y] : b.terms) {
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::ranges::sort(product);
      add_term(out, product, x * y);
    }
  }
  return out;
}

Polynomial scaled(const Polynomial& a, std::int64_t factor)
{
  return a * Polynomial::constant(factor);
}

bool only_sizes(const kernel::Expr& expression)
{
  using enum kernel::ExprKind;
  const bool plain = expression.kind == extent || expression.kind == number || expression.kind == unary
                     || expression.kind == binary || expression.kind == call;
  return plain && std::ranges::all_of(expression.args, [](const kernel::ExprPtr& arg) { return only_sizes(*arg); });
}

Polynomial polynomial_of(const kernel::Expr& expression)
{
  switch (expression.kind) {
  case kernel::ExprKind::number:
    return expression.integer_literal ? Polynomial::constant(static_cast<std::int64_t>(expression.number))
                                      : atom(expression);
  case kernel::ExprKind::unary:
    return expression.name == "-" ? scaled(polynomial_of(*expression.args[0]), -1) : atom(expression);
  case kernel::ExprKind::binary:
    return of_binary(expression);
  default:
    return atom(expression);
  }
}

kernel::ExprPtr expression_of(const Polynomial& polynomial)
{
  kernel::ExprPtr out;
  for (const auto& [monomial, factor] : in_writing_order(polynomial)) {
    kernel::ExprPtr product;
    for (const std::string& name : monomial) {
      const kernel::ExprPtr& atom = polynomial.atoms.at(name);
      product = product ? kernel::make_binary("*", product, atom) : atom;
    }
    const kernel::ExprPtr size = kernel::make_number(static_cast<double>(std::abs(factor)), true);
    product = !product ? size : std::abs(factor) == 1 ? product : kernel::make_binary("*", size, product);
    if (out) {
      out = kernel::make_binary(factor < 0 ? "-" : "+", out, product);
    } else {
      out = factor < 0 ? kernel::make_binary("-", kernel::make_number(0, true), product) : product;
    }
  }
  return out ? out : kernel::make_number(0, true);
}

kernel::ExprPtr normal(const kernel::ExprPtr& integer)
{
  return expression_of(polynomial_of(*integer));
}

kernel::ExprPtr quotient(const Polynomial& a, const Polynomial& b)
{
  const Division exact = divide(a, b);
  if (exact.remainder.terms.empty()) {
    return expression_of(exact.quotient);
  }
  return normal(kernel::make_binary("/", expression_of(a), expression_of(b)));
}

kernel::ExprPtr remainder(const Polynomial& a, const Polynomial& b)
{
  if (divide(a, b).remainder.terms.empty()) {
    return kernel::make_number(0, true);
  }
  return kernel::make_binary("%", expression_of(a), expression_of(b));
}

std::optional<LinearIn> linear_in(const Polynomial& p, const std::string& name)
{
  LinearIn out;
  out.factor.atoms = out.rest.atoms = p.atoms;
  for (const auto& [monomial, factor] : p.terms) {
    const auto times = std::ranges::count(monomial, name);
    if (times > 1) {
      return std::nullopt;
    }
    Monomial others = monomial;
    std::erase(others, name);
    add_term(times == 1 ? out.factor : out.rest, others, factor);
  }
  return out;
}

Division divide(const Polynomial& p, const Polynomial& divisor)
{
  const Monomial& lead = leading(divisor);
  const std::int64_t factor = divisor.terms.at(lead);
  Division out{{}, p};
  out.quotient.atoms = p.atoms;
  for (bool found = true; found;) {
    found = false;
    for (const auto& [monomial, coefficient] : out.remainder.terms) {
      Monomial rest;
      const bool contains = std::ranges::includes(monomial, lead);
      if (!contains || coefficient % factor != 0) {
        continue;
      }
      std::ranges::set_difference(monomial, lead, std::back_inserter(rest));
      Polynomial step;
      step.atoms = p.atoms;
      step.terms[rest] = coefficient / factor;
      out.quotient = out.quotient + step;
      out.remainder = out.remainder - step * divisor;
      found = true;
      break;
    }
  }
  return out;
}

} // namespace hone::import
