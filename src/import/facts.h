// Facts about indices and sizes at a place of a program, and what follows from them. (internal to the room)
#pragma once

#include "import/polynomial.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::import {

class Facts {
public:
  void assume_nonnegative(Polynomial p);
  // Adds a condition; parts that are not comparisons of integers are compared by their text.
  void assume(const kernel::ExprPtr& condition, bool holds);
  void assume_range(const kernel::IndexRange& range); // lower <= name < upper

  // True only when it follows (every size is at least 1).
  bool proves(const Polynomial& nonnegative) const;
  // True, false or not known.
  std::optional<bool> decide(const kernel::Expr& condition) const;

private:
  bool search(const Polynomial& p, const std::vector<Polynomial>& known, int depth, int& tries) const;
  std::vector<Polynomial> known_of_atoms(const Polynomial& p) const;
  void use_inequalities();
  std::optional<bool> decide_comparison(const kernel::Expr& comparison) const;

  std::vector<Polynomial> m_known;   // each at least 0
  std::vector<Polynomial> m_unequal; // each not 0
  std::vector<std::pair<std::string, bool>> m_conditions;
};

} // namespace hone::import
