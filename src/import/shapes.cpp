// Long because the readings of an array share the survey, the shapes that the user gives, and the questions.
#include "import/shapes.h"

#include "import/extent_text.h"
#include "import/flat_subscripts.h"
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
      take_given(array, given->second, accesses);
    } else if (array.declared.size() == 1) {
      find_flat(array, accesses);
    } else {
      find_declared(array, accesses);
    }
  }

  void take_given(ForeignArray& array, const std::vector<std::string>& extents,
                  const std::vector<const ArrayAccess*>& accesses)
  {
    for (const std::string& text : extents) {
      const auto extent = extent_from(text);
      if (!extent) {
        ask(array.name, fmt::format("'{}' is no extent", text),
            "sums, products and quotients of sizes: --shape x=m,2*n+1,k/2", {"--shape", 0, 0}, false);
        return;
      }
      array.shape.push_back(expression_of(*extent));
    }
    if (array.declared.size() > 1 && array.declared.size() != array.shape.size()) {
      ask(array.name,
          fmt::format("'{}' has {} dimensions; {} extents are given", array.name, array.declared.size(),
                      array.shape.size()),
          "give one extent for each", {"--shape", 0, 0}, false);
    } else if (array.declared.size() == 1) {
      const std::vector<Subscript> flat = subscripts_of(accesses);
      const std::vector<Polynomial> strides = strides_of(array.shape);
      for (const Subscript& one : strides.empty() ? std::vector<Subscript>() : dimension(flat, strides, 0)) {
        is_from_data(one, array.shape[0]);
      }
      for (std::size_t k = 1; k < strides.size(); ++k) {
        if (!fits(array, dimension(flat, strides, k), array.shape[k], false)) {
          return;
        }
      }
    }
  }

  static std::vector<Subscript> subscripts_of(const std::vector<const ArrayAccess*>& accesses)
  {
    std::vector<Subscript> out;
    for (const ArrayAccess* access : accesses) {
      out.push_back({polynomial_of(*access->subscripts[0]), access});
    }
    return out;
  }

  std::vector<Subscript> dimension(const std::vector<Subscript>& flat, const std::vector<Polynomial>& strides,
                                   std::size_t k) const
  {
    std::vector<Subscript> out;
    for (const Subscript& one : flat) {
      out.push_back({split_by(one.value, strides, {one.access->facts, m_survey.ranges})[k], one.access});
    }
    return out;
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
    const std::vector<Subscript> flat = subscripts_of(accesses);
    if (std::ranges::all_of(flat, [](const Subscript& one) { return one.value.terms.empty(); })) {
      return; // only ever element 0: a tensor without dimensions
    }
    const auto factors = factors_in(array, flat);
    if (!factors) {
      return;
    }
    const auto readings = readings_of(array, flat, *factors);
    const Reading& chosen = best_of(readings);
    m_out.questions.insert(m_out.questions.end(), chosen.decision.questions.begin(), chosen.decision.questions.end());
    m_out.notes.insert(m_out.notes.end(), chosen.decision.notes.begin(), chosen.decision.notes.end());
    m_out.indexed.insert(chosen.decision.indexed.begin(), chosen.decision.indexed.end());
    m_out.conditions.insert(m_out.conditions.end(), chosen.decision.conditions.begin(),
                            chosen.decision.conditions.end());
    for (const auto& [name, value] : chosen.decision.assumed) {
      m_out.assumed.try_emplace(name, value);
    }
    const bool declared = chosen.shape.size() == 1 && array.declared[0];
    array.shape = declared ? array.declared : chosen.shape;
  }

  // One way to see an array: its strides, and what follows from them.
  struct Reading {
    std::vector<kernel::ExprPtr> shape;
    Polynomial elements;
    bool exact = false; // the code touches the last element
    bool usual = false; // the strides are all those that the code multiplies indices by
    ShapeDecision decision;

    bool settled() const { return decision.questions.empty() && decision.assumed.empty(); }
    bool asks_nothing() const { return settled() && decision.conditions.empty(); }
  };

  std::vector<Reading> readings_of(const ForeignArray& array, const std::vector<Subscript>& flat,
                                   const std::vector<Polynomial>& factors)
  {
    constexpr std::size_t k_most_factors = 6;
    std::vector<Reading> out{reading(array, flat, factors)};
    out.back().usual = true;
    std::vector<Polynomial> terms = terms_of(factors);
    drop_multiples(terms);
    if (terms.size() != factors.size() || !std::ranges::all_of(terms, [&](const Polynomial& one) {
          return std::ranges::find(factors, one) != factors.end();
        })) {
      out.push_back(reading(array, flat, terms));
      out.back().usual = true;
    }
    // Without some of the strides: h * (c / heads) + i subscripts one dimension of c.
    for (std::size_t subset = 1; factors.size() <= k_most_factors && subset + 1 < std::size_t{1} << factors.size();
         ++subset) {
      std::vector<Polynomial> some;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if ((subset >> i & 1) != 0) {
          some.push_back(factors[i]);
        }
      }
      if (std::ranges::find(some, Polynomial::constant(1)) != some.end()) {
        out.push_back(reading(array, flat, some));
      }
    }
    return out;
  }

  static const Reading& best_of(const std::vector<Reading>& readings)
  {
    const auto less = [](const Reading& a, const Reading& b) {
      return a.shape.size() != b.shape.size() && !a.usual
               ? a.shape.size() > b.shape.size()
               : !(a.elements == b.elements) && Facts().proves(b.elements - a.elements);
    };
    const auto choose = [&](const auto& test) {
      const Reading* best = nullptr;
      for (const Reading& one : readings) {
        best = test(one) && (best == nullptr || less(one, *best)) ? &one : best;
      }
      return best;
    };
    const Reading* best = choose([](const Reading& one) { return one.usual && one.asks_nothing() && one.exact; });
    if (best == nullptr) {
      const auto assumes = [](const Reading& one) {
        return one.usual && one.decision.questions.empty() && !one.decision.assumed.empty();
      };
      const auto found = std::ranges::find_if(readings, assumes);
      best = found == readings.end() ? nullptr : &*found;
    }
    best = best != nullptr ? best : choose([](const Reading& one) { return one.usual && one.asks_nothing(); });
    best = best != nullptr ? best : choose([](const Reading& one) { return one.asks_nothing(); });
    best = best != nullptr ? best : choose([](const Reading& one) { return one.usual && one.settled(); });
    return best != nullptr ? *best : readings.front();
  }

  Reading reading(const ForeignArray& array, const std::vector<Subscript>& flat, std::vector<Polynomial> strides)
  {
    Reading out;
    std::swap(m_out, out.decision);
    read_as(array, flat, strides, out);
    std::swap(m_out, out.decision);
    return out;
  }

  void read_as(const ForeignArray& array, const std::vector<Subscript>& flat, std::vector<Polynomial>& strides,
               Reading& out)
  {
    std::ranges::stable_sort(strides, [](const Polynomial& a, const Polynomial& b) {
      return divide(a, b).remainder.terms.empty() && !(a == b);
    });
    for (std::size_t k = 0; k + 1 < strides.size(); ++k) {
      if (!divide(strides[k], strides[k + 1]).remainder.terms.empty()) {
        ask(array.name,
            fmt::format("the dimensions of '{}' are not clear: its indices are multiplied by {} and by {}", array.name,
                        kernel::to_text(*expression_of(strides[k])), kernel::to_text(*expression_of(strides[k + 1]))),
            example_shape(array, 2), array.place);
        return;
      }
    }
    if (strides.size() == 2 && is_size(strides[0]) && unused_elsewhere(strides[0]) && never_unit(flat)) {
      assume(strides[0], kernel::make_number(1, true), fmt::format("elements of '{}' lie side by side", array.name));
      return;
    }
    out.elements = Polynomial::constant(1);
    for (std::size_t k = 0; k < strides.size(); ++k) {
      const std::vector<Subscript> subscripts = dimension(flat, strides, k);
      const kernel::ExprPtr extent =
        k > 0 ? expression_of(divide(strides[k - 1], strides[k]).quotient) : extent_of(array, subscripts);
      if (!extent || (k > 0 && !fits(array, subscripts, extent, true))) {
        return;
      }
      out.shape.push_back(extent);
      out.elements = out.elements * polynomial_of(*extent);
    }
    out.exact = std::ranges::any_of(flat, [&](const Subscript& one) {
      const kernel::ExprPtr last = extreme_of(expression_of(one.value), m_survey.ranges, true);
      return last && one.access->facts.proves(polynomial_of(*last) + Polynomial::constant(1) - out.elements);
    });
  }

  // "--shape A=m,n" in the names of the code.
  std::string example_shape(const ForeignArray& array, std::size_t dimensions) const
  {
    std::vector<std::string> names(m_survey.sizes_in_bounds.begin(), m_survey.sizes_in_bounds.end());
    while (!names.empty() && names.size() < dimensions) {
      names.push_back(names.back());
    }
    names.resize(std::min(names.size(), dimensions));
    return fmt::format("say its shape, outermost extent first: --shape {}={}", array.name,
                       names.empty() ? "EXTENT,EXTENT" : join(names, ","));
  }

  // The different factors of the indices, each once; 1 is always one of them.
  std::optional<std::vector<Polynomial>> factors_in(const ForeignArray& array, const std::vector<Subscript>& flat)
  {
    std::vector<Polynomial> factors{Polynomial::constant(1)};
    for (const Subscript& one : flat) {
      for (const std::string& atom : moving_atoms(one.value)) {
        const auto split = linear_in(one.value, atom);
        if (!split || !holds_only_sizes(split->factor)
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
    return factors;
  }

  // The terms of the factors, each without its number: n and 1 of n + 1.
  static std::vector<Polynomial> terms_of(const std::vector<Polynomial>& factors)
  {
    std::vector<Polynomial> out;
    for (const Polynomial& factor : factors) {
      for (const auto& [monomial, times] : factor.terms) {
        Polynomial one = factor.terms.size() > 1 ? Polynomial() : factor;
        if (factor.terms.size() > 1) {
          one.atoms = factor.atoms;
          one.terms[monomial] = 1;
        }
        if (std::ranges::find(out, one) == out.end()) {
          out.push_back(one);
        }
      }
    }
    return out;
  }

  // 3 * i + c with c in 0..2 has two dimensions; 2 * i + r with other r has one.
  bool is_finer(const Polynomial& factor, const Subscript& in) const
  {
    const auto constant = factor.as_constant();
    if (!constant) {
      return false;
    }
    const Facts& facts = in.access->facts;
    const std::vector<Polynomial> split =
      split_by(in.value, {factor, Polynomial::constant(1)}, {facts, m_survey.ranges});
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

  // Whether an inner subscript stays within its dimension. A leading dimension that nothing else uses may be taken as
  // tight; what sizes alone decide becomes a condition.
  bool fits(const ForeignArray& array, const std::vector<Subscript>& subscripts, const kernel::ExprPtr& extent,
            bool may_be_tight)
  {
    const Polynomial end = polynomial_of(*extent);
    const auto within = [&](const Subscript& one) {
      return is_from_data(one, extent)
             || (one.access->facts.proves(one.value)
                 && one.access->facts.proves(end - one.value - Polynomial::constant(1)));
    };
    for (const Subscript& one : subscripts) {
      if (within(one)) {
        continue;
      }
      if (may_be_tight && is_size(end) && unused_elsewhere(end)) {
        const kernel::ExprPtr tight = extent_of(array, subscripts);
        if (tight) {
          assume(end, tight, fmt::format("the rows of '{}' follow each other without gaps", array.name));
        }
        return false;
      }
      if (!make_condition(array, one, extent)) {
        ask(array.name,
            fmt::format("'{}' is taken to have rows of {} elements, but the subscript {} may lie outside them",
                        array.name, kernel::to_text(*extent), readable(expression_of(one.value))),
            example_shape(array, 2), one.access->place);
        return false;
      }
    }
    return true;
  }

  // n <= ldc: the rows are long enough.
  bool make_condition(const ForeignArray& array, const Subscript& one, const kernel::ExprPtr& extent)
  {
    const kernel::ExprPtr last = extreme_of(expression_of(one.value), m_survey.ranges, true);
    if (!last || !holds_only_sizes(polynomial_of(*last)) || !one.access->facts.proves(one.value)) {
      return false;
    }
    const kernel::ExprPtr condition =
      compared("<=", expression_of(polynomial_of(*last) + Polynomial::constant(1)), extent);
    const auto known = [&](const kernel::ExprPtr& other) { return same(other, condition); };
    if (std::ranges::none_of(m_out.conditions, known)) {
      m_out.conditions.push_back(condition);
      m_out.notes.push_back(fmt::format("{}: the rows of '{}' have {} elements", kernel::to_text(*condition),
                                        array.name, kernel::to_text(*extent)));
    }
    return true;
  }

  // An element of an integer tensor as a subscript by itself: its values are drawn from the dimension.
  bool is_from_data(const Subscript& one, const kernel::ExprPtr& extent)
  {
    if (one.access->written || one.value.terms.size() != 1 || one.value.terms.begin()->first.size() != 1
        || one.value.terms.begin()->second != 1) {
      return false;
    }
    const kernel::Expr& atom = *one.value.atoms.at(one.value.terms.begin()->first[0]);
    const bool data =
      atom.kind == kernel::ExprKind::load && !kernel::is_float(atom.type) && !is_mark(atom, "@") && !atom.args.empty();
    if (data && m_out.indexed.try_emplace(atom.name, extent).second) {
      m_out.notes.push_back(fmt::format("{0} takes values from 0 to {1} - 1, also where it subscripts nothing: "
                                        "--domain {0}=LOW,HIGH says otherwise",
                                        atom.name, kernel::to_text(*extent)));
    }
    return data;
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
      const bool simpler = best && candidate.terms.size() < best->terms.size() && !Facts().proves(candidate - *best);
      if (holds && (!best || simpler || Facts().proves(*best - candidate))) {
        best = candidate;
      }
    }
    if (best) {
      return expression_of(with_border(*best, subscripts));
    }
    const auto odd = std::ranges::find_if(subscripts, [](const Subscript& one) { return reads_data(one.value); });
    const Subscript& culprit = odd == subscripts.end() ? subscripts.front() : *odd;
    ask(array.name,
        fmt::format("the extent of '{}' is not known: it is subscripted with {}", array.name,
                    readable(expression_of(culprit.value))),
        fmt::format("say --shape {}=EXTENT, such as --shape {}=n", array.name, array.name), culprit.access->place);
    return nullptr;
  }

  static bool reads_data(const Polynomial& p)
  {
    return std::ranges::any_of(p.atoms, [&](const auto& atom) {
      return p.mentions(atom.first) && !only_sizes(*atom.second) && atom.second->kind != kernel::ExprKind::index;
    });
  }

  std::vector<Polynomial> candidates(const std::vector<Subscript>& subscripts) const
  {
    std::vector<Polynomial> out;
    const auto add = [&](const Polynomial& candidate) {
      if (holds_only_sizes(candidate) && std::ranges::find(out, candidate) == out.end()) {
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

} // namespace hone::import
