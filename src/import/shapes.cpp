#include "import/shapes.h"

#include "import/extent_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

struct Subscript {
  Polynomial value;
  const ArrayAccess* access = nullptr;
};

bool is_size(const Polynomial& p)
{
  return p.terms.size() == 1 && p.terms.begin()->first.size() == 1 && p.terms.begin()->second == 1
         && p.atoms.at(p.terms.begin()->first[0])->kind == kernel::ExprKind::extent;
}

bool is_positive(const Polynomial& p)
{
  return !p.terms.empty() && std::ranges::all_of(p.terms, [](const auto& term) { return term.second > 0; });
}

// The atoms of a subscript that are no sizes: indices, and what is read from data.
std::vector<std::string> moving_atoms(const Polynomial& p)
{
  std::vector<std::string> out;
  for (const auto& [name, atom] : p.atoms) {
    if (atom->kind != kernel::ExprKind::extent && p.mentions(name)) {
      out.push_back(name);
    }
  }
  return out;
}

bool only_sizes(const Polynomial& p)
{
  return moving_atoms(p).empty();
}

// Products of the inner extents, the outermost dimension first; the last is 1.
std::vector<Polynomial> strides_of(const std::vector<kernel::ExprPtr>& shape)
{
  std::vector<Polynomial> out(shape.size(), Polynomial::constant(1));
  for (std::size_t k = shape.size(); k-- > 1;) {
    out[k - 1] = out[k] * polynomial_of(*shape[k]);
  }
  return out;
}

// flat = sum of subscript * stride: each index goes to the largest stride that its factor is a multiple of.
std::vector<Polynomial> split_by(const Polynomial& flat, const std::vector<Polynomial>& strides)
{
  std::vector<Polynomial> out(strides.size());
  Polynomial rest = flat;
  for (const std::string& atom : moving_atoms(flat)) {
    const auto split = linear_in(rest, atom);
    if (!split) {
      continue;
    }
    for (std::size_t k = 0; k < strides.size(); ++k) {
      const Division division = divide(split->factor, strides[k]);
      if (division.remainder.terms.empty() && division.quotient.as_constant()) {
        Polynomial index;
        index.atoms = flat.atoms;
        index.terms[{atom}] = 1;
        out[k] = out[k] + index * division.quotient;
        rest = rest - index * split->factor;
        break;
      }
    }
  }
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const Division division = k + 1 == strides.size() ? Division{rest, {}} : divide(rest, strides[k]);
    out[k] = out[k] + division.quotient;
    rest = division.remainder;
  }
  return out;
}

class ShapeFinder {
public:
  ShapeFinder(Survey& survey, const std::map<std::string, std::vector<std::string>>& given)
    : m_survey(survey), m_given(given)
  {
  }

  ShapeDecision run()
  {
    for (auto& [name, array] : m_survey.arrays) {
      std::vector<const ArrayAccess*> accesses;
      for (const ArrayAccess& access : m_survey.accesses) {
        if (access.array == name) {
          accesses.push_back(&access);
        }
      }
      if (array.argument && !accesses.empty()) {
        find(array, accesses);
      }
    }
    for (const auto& [name, shape] : m_given) {
      if (!m_survey.arrays.contains(name)) {
        ask(name, fmt::format("the function has no array argument '{}'", name), "look at --shape", {"--shape", 0, 0},
            false);
      }
    }
    return std::move(m_out);
  }

private:
  void ask(const std::string& array, std::string what, std::string hint, const Place& place, bool answerable = true)
  {
    m_out.questions.push_back({Error{std::move(what), std::move(hint), place}, answerable ? array : ""});
  }

  void find(ForeignArray& array, const std::vector<const ArrayAccess*>& accesses)
  {
    const auto given = m_given.find(array.name);
    if (given != m_given.end()) {
      take_given(array, given->second);
    } else if (array.declared.size() == 1) {
      find_flat(array, accesses);
    } else {
      find_declared(array, accesses);
    }
  }

  void take_given(ForeignArray& array, const std::vector<std::string>& extents)
  {
    for (const std::string& text : extents) {
      const auto extent = extent_from(text);
      if (!extent) {
        ask(array.name, fmt::format("'{}' is no extent", text), "sums and products of sizes: --shape x=m,2*n+1",
            {"--shape", 0, 0}, false);
        return;
      }
      array.shape.push_back(expression_of(*extent));
    }
    if (array.declared.size() > 1 && array.declared.size() != array.shape.size()) {
      ask(array.name,
          fmt::format("'{}' has {} dimensions; {} extents are given", array.name, array.declared.size(),
                      array.shape.size()),
          "give one extent for each", {"--shape", 0, 0}, false);
    }
  }

  void find_declared(ForeignArray& array, const std::vector<const ArrayAccess*>& accesses)
  {
    for (std::size_t k = 0; k < array.declared.size(); ++k) {
      if (array.declared[k]) {
        array.shape.push_back(array.declared[k]);
        continue;
      }
      std::vector<Subscript> subscripts;
      for (const ArrayAccess* access : accesses) {
        subscripts.push_back({polynomial_of(*access->subscripts[k]), access});
      }
      const kernel::ExprPtr extent = extent_of(array, subscripts);
      if (!extent) {
        return;
      }
      array.shape.push_back(extent);
    }
  }

  // One subscript may hold several dimensions: i * n + j.
  void find_flat(ForeignArray& array, const std::vector<const ArrayAccess*>& accesses)
  {
    std::vector<Subscript> flat;
    for (const ArrayAccess* access : accesses) {
      flat.push_back({polynomial_of(*access->subscripts[0]), access});
    }
    if (std::ranges::all_of(flat, [](const Subscript& one) { return one.value.terms.empty(); })) {
      return; // only ever element 0: a tensor without dimensions
    }
    const auto strides = strides_in(array, flat);
    if (!strides) {
      return;
    }
    std::vector<kernel::ExprPtr> shape;
    for (std::size_t k = 0; k < strides->size(); ++k) {
      std::vector<Subscript> subscripts;
      for (const Subscript& one : flat) {
        subscripts.push_back({split_by(one.value, *strides)[k], one.access});
      }
      if (k > 0) {
        const kernel::ExprPtr extent = expression_of(divide((*strides)[k - 1], (*strides)[k]).quotient);
        if (!fits(array, subscripts, extent)) {
          return;
        }
        shape.push_back(extent);
        continue;
      }
      const kernel::ExprPtr extent = extent_of(array, subscripts);
      if (!extent) {
        return;
      }
      shape.push_back(extent);
    }
    const bool declared = shape.size() == 1 && array.declared[0];
    array.shape = declared ? array.declared : std::move(shape);
  }

  // The different factors of the indices, the largest first, each a multiple of the next; the last is 1.
  std::optional<std::vector<Polynomial>> strides_in(const ForeignArray& array, const std::vector<Subscript>& flat)
  {
    std::vector<Polynomial> factors{Polynomial::constant(1)};
    for (const Subscript& one : flat) {
      for (const std::string& atom : moving_atoms(one.value)) {
        const auto split = linear_in(one.value, atom);
        if (!split || !only_sizes(split->factor)
            || !(is_positive(split->factor) || is_positive(scaled(split->factor, -1)))) {
          ask(array.name,
              fmt::format("the subscript of '{}' is no sum of indices times sizes: {}", array.name,
                          readable(one.access->subscripts[0])),
              "A[i * n + j] is understood", one.access->place, false);
          return std::nullopt;
        }
        const Polynomial factor = is_positive(split->factor) ? split->factor : scaled(split->factor, -1);
        if (std::ranges::find(factors, factor) == factors.end() && !is_finer(factor, one)) {
          factors.push_back(factor);
        }
      }
    }
    drop_multiples(factors);
    std::ranges::stable_sort(factors, [](const Polynomial& a, const Polynomial& b) {
      return divide(a, b).remainder.terms.empty() && !(a == b);
    });
    for (std::size_t k = 0; k + 1 < factors.size(); ++k) {
      if (!divide(factors[k], factors[k + 1]).remainder.terms.empty()) {
        ask(array.name,
            fmt::format("the dimensions of '{}' are not clear: its indices are multiplied by {} and by {}", array.name,
                        kernel::to_text(*expression_of(factors[k])), kernel::to_text(*expression_of(factors[k + 1]))),
            fmt::format("say its shape, outermost extent first: --shape {}=m,n", array.name), array.place);
        return std::nullopt;
      }
    }
    if (factors.size() == 2 && is_size(factors[0]) && unused_elsewhere(factors[0]) && never_unit(flat)) {
      assume(factors[0], kernel::make_number(1, true), fmt::format("elements of '{}' lie side by side", array.name));
      return std::nullopt;
    }
    return factors;
  }

  // 3 * i + c with c in 0..2 has two dimensions; 2 * i + r with other r has one.
  bool is_finer(const Polynomial& factor, const Subscript& in) const
  {
    const auto constant = factor.as_constant();
    if (!constant) {
      return false;
    }
    const std::vector<Polynomial> split = split_by(in.value, {factor, Polynomial::constant(1)});
    const Facts& facts = in.access->facts;
    return moving_atoms(split[1]).empty() || !facts.proves(split[1])
           || !facts.proves(Polynomial::constant(*constant - 1) - split[1]);
  }

  // Of n and 2 * n only n is a stride: the subscript is twice an index.
  static void drop_multiples(std::vector<Polynomial>& factors)
  {
    const auto is_multiple = [](const Polynomial& a, const Polynomial& b) {
      const Division division = divide(a, b);
      const auto times = division.quotient.as_constant();
      return !(a == b) && !b.as_constant() && division.remainder.terms.empty() && times && *times > 1;
    };
    const std::vector<Polynomial> all = factors;
    std::erase_if(factors, [&](const Polynomial& a) {
      return std::ranges::any_of(all, [&](const Polynomial& b) { return is_multiple(a, b); });
    });
  }

  bool unused_elsewhere(const Polynomial& size) const
  {
    return !m_survey.sizes_in_bounds.contains(size.terms.begin()->first[0]);
  }

  // x[i * incx]: no index and no constant has the factor 1.
  static bool never_unit(const std::vector<Subscript>& flat)
  {
    return std::ranges::none_of(flat, [](const Subscript& one) {
      return std::ranges::any_of(one.value.terms, [&](const auto& term) {
        return std::ranges::all_of(term.first, [&](const std::string& name) {
          return one.value.atoms.at(name)->kind != kernel::ExprKind::extent;
        });
      });
    });
  }

  void assume(const Polynomial& size, const kernel::ExprPtr& value, const std::string& why)
  {
    const std::string name = size.terms.begin()->first[0];
    const auto [at, is_new] = m_out.assumed.try_emplace(name, value);
    if (is_new) {
      m_out.notes.push_back(fmt::format("{} is {}: {}", name, kernel::to_text(*value), why));
    }
  }

  // Whether an inner subscript stays within its dimension. A leading dimension that nothing else uses is taken as
  // tight.
  bool fits(const ForeignArray& array, const std::vector<Subscript>& subscripts, const kernel::ExprPtr& extent)
  {
    const Polynomial end = polynomial_of(*extent);
    const auto within = [&](const Subscript& one) {
      return one.access->facts.proves(one.value) && one.access->facts.proves(end - one.value - Polynomial::constant(1));
    };
    const auto outside = std::ranges::find_if_not(subscripts, within);
    if (outside == subscripts.end()) {
      return true;
    }
    if (is_size(end) && unused_elsewhere(end)) {
      const kernel::ExprPtr tight = extent_of(array, subscripts);
      if (tight) {
        assume(end, tight, fmt::format("the rows of '{}' follow each other without gaps", array.name));
      }
      return false;
    }
    ask(array.name,
        fmt::format("'{}' is taken to have rows of {} elements, but the subscript {} may lie outside them", array.name,
                    kernel::to_text(*extent), readable(expression_of(outside->value))),
        fmt::format("say its shape, outermost extent first: --shape {}=m,n", array.name), outside->access->place);
    return false;
  }

  // Names as the user wrote them.
  static std::string readable(const kernel::ExprPtr& expression)
  {
    const auto change = [](const kernel::ExprPtr& node) -> kernel::ExprPtr {
      return node->kind == kernel::ExprKind::index ? kernel::make_index(written_name(node->name)) : nullptr;
    };
    return kernel::to_text(*rewritten(expression, change));
  }

  // The least extent that holds all these subscripts; null (and a question) when it is not known.
  kernel::ExprPtr extent_of(const ForeignArray& array, const std::vector<Subscript>& subscripts)
  {
    for (const Subscript& one : subscripts) {
      if (!one.access->facts.proves(one.value) && !reads_data(one.value)) {
        ask(array.name,
            fmt::format("'{}' is subscripted with {}, which may be less than 0", array.name,
                        readable(expression_of(one.value))),
            "begin the loop later, or guard the access with if", one.access->place, false);
        return nullptr;
      }
    }
    std::optional<Polynomial> best;
    for (const Polynomial& candidate : candidates(subscripts)) {
      const bool holds = std::ranges::all_of(subscripts, [&](const Subscript& one) {
        return one.access->facts.proves(candidate - one.value - Polynomial::constant(1));
      });
      if (holds && (!best || Facts().proves(*best - candidate))) {
        best = candidate;
      }
    }
    if (best) {
      return expression_of(with_border(*best, subscripts));
    }
    const auto odd = std::ranges::find_if(subscripts, [](const Subscript& one) { return reads_data(one.value); });
    const Subscript& culprit = odd == subscripts.end() ? subscripts.front() : *odd;
    if (odd != subscripts.end() && odd->access->written) {
      ask(array.name,
          fmt::format("where '{}' is written is read from data ({}): several iterations may write the same "
                      "element",
                      array.name, readable(expression_of(odd->value))),
          "a kernel writes each element once: loop over the written elements, and use the data as a subscript of what "
          "is read",
          odd->access->place, false);
      return nullptr;
    }
    ask(array.name,
        fmt::format("the extent of '{}' is not known: it is subscripted with {}", array.name,
                    readable(expression_of(culprit.value))),
        fmt::format("say --shape {}=EXTENT, such as --shape {}=n", array.name, array.name), culprit.access->place);
    return nullptr;
  }

  static bool reads_data(const Polynomial& p)
  {
    return std::ranges::any_of(p.atoms, [&](const auto& atom) {
      return p.mentions(atom.first) && atom.second->kind != kernel::ExprKind::extent
             && atom.second->kind != kernel::ExprKind::index;
    });
  }

  std::vector<Polynomial> candidates(const std::vector<Subscript>& subscripts) const
  {
    std::vector<Polynomial> out;
    const auto add = [&](const Polynomial& candidate) {
      if (only_sizes(candidate) && std::ranges::find(out, candidate) == out.end()) {
        out.push_back(candidate);
      }
    };
    for (const Subscript& one : subscripts) {
      if (const kernel::ExprPtr largest = extreme_of(expression_of(one.value), m_survey.ranges, true)) {
        add(polynomial_of(*largest) + Polynomial::constant(1));
      }
    }
    for (const auto& [name, range] : m_survey.ranges) {
      add(polynomial_of(*range.upper));
    }
    for (const std::string& size : m_survey.sizes_in_bounds) {
      add(polynomial_of(*kernel::make_extent(size)));
    }
    return out;
  }

  // A loop from 1 to n - 2 leaves a border out at both ends: the array has n elements.
  Polynomial with_border(const Polynomial& extent, const std::vector<Subscript>& subscripts) const
  {
    const auto constant = extent.terms.find({});
    if (constant == extent.terms.end() || constant->second >= 0 || extent.terms.size() < 2) {
      return extent;
    }
    for (const Subscript& one : subscripts) {
      const kernel::ExprPtr least = extreme_of(expression_of(one.value), m_survey.ranges, false);
      const auto begin = least ? polynomial_of(*least).as_constant() : std::nullopt;
      if (!begin || *begin < 1) {
        return extent;
      }
    }
    return extent - Polynomial::constant(constant->second);
  }

  Survey& m_survey;
  const std::map<std::string, std::vector<std::string>>& m_given;
  ShapeDecision m_out;
};

} // namespace

ShapeDecision decide_shapes(Survey& survey, const std::map<std::string, std::vector<std::string>>& given)
{
  return ShapeFinder(survey, given).run();
}

std::vector<kernel::ExprPtr> subscripts_for(const ForeignArray& array, const std::vector<kernel::ExprPtr>& written)
{
  if (array.declared.size() > 1) {
    return written;
  }
  std::vector<kernel::ExprPtr> out;
  if (array.shape.empty()) {
    return out;
  }
  for (const Polynomial& subscript : split_by(polynomial_of(*written[0]), strides_of(array.shape))) {
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
