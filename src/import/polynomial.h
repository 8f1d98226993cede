// Integer expressions over indices and sizes as polynomials, so that equal subscripts look equal. (internal to the
// room)
#pragma once

#include "kernel/expression.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone::import {

// Names in order, with repetition: i * n * n is {"i", "n", "n"}; the constant term is {}.
using Monomial = std::vector<std::string>;

// What is no sum or product of indices and sizes (n / 2, I[i]) is an atom, known by its text.
struct Polynomial {
  std::map<Monomial, std::int64_t> terms;       // no zeros
  std::map<std::string, kernel::ExprPtr> atoms; // every name that stands in a term

  static Polynomial constant(std::int64_t value);

  std::optional<std::int64_t> as_constant() const;
  bool mentions(const std::string& name) const;
  bool operator==(const Polynomial& other) const { return terms == other.terms; }
};

Polynomial operator+(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);
Polynomial scaled(const Polynomial& a, std::int64_t factor);

// Whether an expression holds nothing but sizes and numbers.
bool only_sizes(const kernel::Expr& expression);

Polynomial polynomial_of(const kernel::Expr& expression);
kernel::ExprPtr expression_of(const Polynomial& polynomial);
// The same value, written in the one way in which all equal sums are written.
kernel::ExprPtr normal(const kernel::ExprPtr& integer);

// a / b of integers, the quotient worked out where b divides a.
kernel::ExprPtr quotient(const Polynomial& a, const Polynomial& b);
kernel::ExprPtr remainder(const Polynomial& a, const Polynomial& b);

// p = factor * name + rest, where neither holds the name; nothing when p is not linear in it.
struct LinearIn {
  Polynomial factor, rest;
};
std::optional<LinearIn> linear_in(const Polynomial& p, const std::string& name);

// p = quotient * divisor + remainder, as far as the divisor's leading term goes.
struct Division {
  Polynomial quotient, remainder;
};
Division divide(const Polynomial& p, const Polynomial& divisor);

} // namespace hone::import
