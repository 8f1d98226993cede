#include "import/flat_subscripts.h"

#include "import/shapes.h"

#include <algorithm>

namespace hone::import {

bool is_positive(const Polynomial& p)
{
  return !p.terms.empty() && std::ranges::all_of(p.terms, [](const auto& term) { return term.second > 0; });
}

std::vector<std::string> moving_atoms(const Polynomial& p)
{
  std::vector<std::string> out;
  for (const auto& [name, atom] : p.atoms) {
    if (!only_sizes(*atom) && p.mentions(name)) {
      out.push_back(name);
    }
  }
  return out;
}

bool holds_only_sizes(const Polynomial& p)
{
  return moving_atoms(p).empty();
}

std::vector<Polynomial> strides_of(const std::vector<kernel::ExprPtr>& shape)
{
  std::vector<Polynomial> out(shape.size(), Polynomial::constant(1));
  for (std::size_t k = shape.size(); k-- > 1;) {
    out[k - 1] = out[k] * polynomial_of(*shape[k]);
  }
  return out;
}

namespace {

// A single index that runs over whole rows: i < m * n where rows have n elements.
bool runs_over_rows(const Polynomial& subscript, const Polynomial& extent, const Access& at)
{
  const auto range =
    subscript.terms.size() == 1 && subscript.terms.begin()->first.size() == 1 && subscript.terms.begin()->second == 1
      ? at.ranges.find(subscript.terms.begin()->first[0])
      : at.ranges.end();
  if (range == at.ranges.end() || (range->second.lower && !is_literal(*range->second.lower, 0))) {
    return false;
  }
  const Division rows = divide(polynomial_of(*range->second.upper), extent);
  return rows.remainder.terms.empty() && !(rows.quotient == Polynomial::constant(1)) && !extent.as_constant();
}

// A subscript that always lies outside its dimension belongs to the row before or after: r * k + (k - 1) divides into
// row r + 1 and column -1, which is row r and column k - 1.
void carry(std::vector<Polynomial>& subscripts, const std::vector<Polynomial>& strides, const Access& at)
{
  constexpr int k_most_rows = 4;
  const Facts& facts = at.facts;
  const Polynomial one = Polynomial::constant(1);
  for (std::size_t k = subscripts.size(); k-- > 1;) {
    const Polynomial extent = divide(strides[k - 1], strides[k]).quotient;
    if (runs_over_rows(subscripts[k], extent, at)) {
      const kernel::ExprPtr flat = expression_of(subscripts[k]);
      subscripts[k - 1] = subscripts[k - 1] + polynomial_of(*kernel::make_binary("/", flat, expression_of(extent)));
      subscripts[k] = polynomial_of(*kernel::make_binary("%", flat, expression_of(extent)));
      continue;
    }
    for (int row = 0; row < k_most_rows && facts.proves(scaled(subscripts[k], -1) - one); ++row) {
      subscripts[k] = subscripts[k] + extent;
      subscripts[k - 1] = subscripts[k - 1] - one;
    }
    for (int row = 0; row < k_most_rows && facts.proves(subscripts[k] - extent); ++row) {
      subscripts[k] = subscripts[k] - extent;
      subscripts[k - 1] = subscripts[k - 1] + one;
    }
  }
}

} // namespace

// flat = sum of subscript * stride: each index goes to the largest stride that its factor is a multiple of. A factor of
// several terms (n + 1 on a diagonal) goes to several.
std::vector<Polynomial> split_by(const Polynomial& flat, const std::vector<Polynomial>& strides, const Access& at)
{
  std::vector<Polynomial> out(strides.size());
  Polynomial rest = flat;
  for (const std::string& atom : moving_atoms(flat)) {
    const auto split = linear_in(rest, atom);
    if (!split) {
      continue;
    }
    Polynomial index;
    index.atoms = flat.atoms;
    index.terms[{atom}] = 1;
    Polynomial factor = split->factor;
    for (std::size_t k = 0; k < strides.size(); ++k) {
      const Division division = divide(factor, strides[k]);
      const auto times = division.quotient.as_constant();
      const bool whole = division.remainder.terms.empty() || k + 1 < strides.size();
      if (whole && times && *times != 0) {
        out[k] = out[k] + index * division.quotient;
        rest = rest - index * (division.quotient * strides[k]);
        factor = division.remainder;
      }
    }
  }
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const Division division = k + 1 == strides.size() ? Division{rest, {}} : divide(rest, strides[k]);
    out[k] = out[k] + division.quotient;
    rest = division.remainder;
  }
  carry(out, strides, at);
  return out;
}

std::vector<kernel::ExprPtr> subscripts_for(const ForeignArray& array, const std::vector<kernel::ExprPtr>& written,
                                            const Facts& facts, const std::map<std::string, kernel::IndexRange>& ranges)
{
  if (array.declared.size() > 1) {
    return written;
  }
  std::vector<kernel::ExprPtr> out;
  if (array.shape.empty()) {
    return out;
  }
  for (const Polynomial& subscript : split_by(polynomial_of(*written[0]), strides_of(array.shape), {facts, ranges})) {
    out.push_back(expression_of(subscript));
  }
  return out;
}

kernel::ExprPtr extreme_of(const kernel::ExprPtr& expression, const std::map<std::string, kernel::IndexRange>& ranges,
                           bool largest)
{
  Polynomial p = polynomial_of(*expression);
  for (;;) {
    const std::vector<std::string> open = moving_atoms(p);
    if (open.empty()) {
      return expression_of(p);
    }
    // One whose value no other index's range depends on.
    const auto is_free = [&](const std::string& name) {
      return ranges.contains(name) && std::ranges::none_of(open, [&](const std::string& other) {
               const auto range = ranges.find(other);
               return other != name && range != ranges.end()
                      && (mentions_index(range->second.upper, name) || mentions_index(range->second.lower, name));
             });
    };
    const auto next = std::ranges::find_if(open, is_free);
    const auto split = next == open.end() ? std::nullopt : linear_in(p, *next);
    if (!split || !(is_positive(split->factor) || is_positive(scaled(split->factor, -1)))) {
      return nullptr;
    }
    const kernel::IndexRange& range = ranges.at(*next);
    const bool to_upper = is_positive(split->factor) == largest;
    const Polynomial end = to_upper      ? polynomial_of(*range.upper) - Polynomial::constant(1)
                           : range.lower ? polynomial_of(*range.lower)
                                         : Polynomial();
    p = split->factor * end + split->rest;
  }
}

} // namespace hone::import
