// Arrays: writes for ranges of indices, and what a read finds among them.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

constexpr int k_largest_inlined = 48; // nodes of a value that is repeated instead of being given a name

// Divisions and functions take longer than it takes to read what they came to.
bool takes_long(const kernel::Expr& value)
{
  return kernel::any_part(value, [](const kernel::Expr& part) {
    return kernel::is_float(part.type)
           && (part.kind == kernel::ExprKind::call || (part.kind == kernel::ExprKind::binary && part.name == "/"));
  });
}

std::vector<Polynomial> polynomials(const std::vector<kernel::ExprPtr>& expressions)
{
  std::vector<Polynomial> out;
  for (const kernel::ExprPtr& expression : expressions) {
    out.push_back(polynomial_of(*expression));
  }
  return out;
}

// f where the two are v / f and v % f.
std::optional<Polynomial> divided_by(const Polynomial& quotient, const Polynomial& remainder, const std::string& var)
{
  const auto operation = [&](const Polynomial& p, std::string_view name) -> const kernel::Expr* {
    const bool single = p.terms.size() == 1 && p.terms.begin()->second == 1 && p.terms.begin()->first.size() == 1;
    const kernel::Expr* const atom = single ? p.atoms.at(p.terms.begin()->first[0]).get() : nullptr;
    const bool matches = atom != nullptr && atom->kind == kernel::ExprKind::binary && atom->name == name
                         && atom->args[0]->kind == kernel::ExprKind::index && atom->args[0]->name == var;
    return matches ? atom : nullptr;
  };
  const kernel::Expr* const divides = operation(quotient, "/");
  const kernel::Expr* const rest = operation(remainder, "%");
  const bool both = divides != nullptr && rest != nullptr && same(divides->args[1], rest->args[1]);
  return both ? std::optional(polynomial_of(*divides->args[1])) : std::nullopt;
}

Polynomial substituted(const Polynomial& p, const std::string& index, const Polynomial& value)
{
  const auto split = linear_in(p, index);
  return split ? split->factor * value + split->rest : p;
}

} // namespace

void Interpreter::write(Write one)
{
  std::vector<Write>& writes = m_frames.back().writes;
  if (!one.guard && one.vars.empty()) { // what the same element held before is gone
    for (std::size_t i = writes.size(); i-- > m_barrier;) {
      const bool hidden = writes[i].array == one.array && writes[i].vars.empty()
                          && std::ranges::equal(writes[i].subscripts, one.subscripts, same);
      if (hidden) {
        writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  writes.push_back(std::move(one));
}

// Whether f * v + rest takes every value once: f is positive, and 0 <= rest < f for all other vars.
bool Interpreter::divides_off(const Write& write, const LinearIn& split) const
{
  const Polynomial one = Polynomial::constant(1);
  const bool alone =
    std::ranges::none_of(write.vars, [&](const kernel::IndexRange& var) { return split.rest.mentions(var.name); });
  Facts facts = m_facts;
  for (const kernel::IndexRange& var : write.vars) {
    facts.assume_range(var);
  }
  const bool fixed =
    !split.factor.terms.empty() && only_sizes(*expression_of(split.factor)) && facts.proves(split.factor - one);
  return fixed && (alone || (facts.proves(split.rest) && facts.proves(split.factor - one - split.rest)));
}

// Solves array[subscripts(vars)] = array[wanted] for the vars.
Result<std::optional<Interpreter::Match>> Interpreter::match(const Write& write,
                                                             const std::vector<kernel::ExprPtr>& wanted) const
{
  std::vector<Polynomial> left = polynomials(write.subscripts);
  std::vector<Polynomial> right = polynomials(wanted);
  std::set<std::string> open;
  for (const kernel::IndexRange& var : write.vars) {
    open.insert(var.name);
  }
  Match out;
  std::set<std::size_t> used;
  std::vector<kernel::ExprPtr> conditions;
  const auto settle = [&](const std::string& var, const Polynomial& value) {
    out.vars[var] = expression_of(value);
    for (Polynomial& other : left) {
      other = substituted(other, var, value);
    }
    open.erase(var);
  };
  for (bool found = true; found && !open.empty();) {
    found = false;
    for (std::size_t k = 0; k < left.size() && !found; ++k) {
      for (const std::string& var : open) {
        const auto split = used.contains(k) ? std::nullopt : linear_in(left[k], var);
        const auto factor = split ? split->factor.as_constant() : std::nullopt;
        const bool alone = split && std::ranges::none_of(open, [&](const std::string& other) {
                             return other != var && split->rest.mentions(other);
                           });
        if (!alone || !factor || (*factor != 1 && *factor != -1)) {
          continue;
        }
        used.insert(k);
        settle(var, scaled(right[k] - split->rest, *factor));
        found = true;
        break;
      }
    }
    // v / f and v % f: v is f times the one plus the other.
    for (std::size_t k = 0; k + 1 < left.size() && !found; ++k) {
      for (const std::string& var : open) {
        const auto divisor =
          used.contains(k) || used.contains(k + 1) ? std::nullopt : divided_by(left[k], left[k + 1], var);
        if (divisor) {
          used.insert({k, k + 1});
          settle(var, right[k] * *divisor + right[k + 1]);
          found = true;
          break;
        }
      }
    }
    // f * v + rest with rest < f: v is the quotient, and the rest the remainder.
    for (std::size_t k = 0; k < left.size() && !found; ++k) {
      for (const std::string& var : open) {
        const auto split = used.contains(k) ? std::nullopt : linear_in(left[k], var);
        if (!split || !divides_off(write, *split)) {
          continue;
        }
        const bool alone = std::ranges::none_of(
          open, [&](const std::string& other) { return other != var && split->rest.mentions(other); });
        const bool small =
          m_facts.proves(split->rest) && m_facts.proves(split->factor - Polynomial::constant(1) - split->rest);
        const Polynomial dividend = alone && !small ? right[k] - split->rest : right[k];
        const kernel::ExprPtr whole = quotient(dividend, split->factor);
        if (alone) {
          used.insert(k);
          const kernel::ExprPtr rest = small ? expression_of(split->rest) : kernel::make_number(0, true);
          if (!(polynomial_of(*whole) * split->factor + polynomial_of(*rest) == right[k])) {
            conditions.push_back(compared("==", remainder(dividend, split->factor), rest));
          }
        } else {
          left[k] = split->rest;
          right[k] = polynomial_of(*remainder(right[k], split->factor));
        }
        settle(var, polynomial_of(*whole));
        found = true;
        break;
      }
    }
  }
  if (!open.empty()) {
    return fail(fmt::format("several iterations of the loop over '{}' may write the same element of '{}'",
                            written_name(*open.begin()), written_name(write.array)),
                "a kernel's elements are written once: C[i * n + j] for loops over i and j; or accumulate in a scalar",
                write.place);
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (!used.contains(k)) {
      conditions.push_back(compared("==", expression_of(right[k]), expression_of(left[k])));
    }
  }
  for (const kernel::IndexRange& var : write.vars) {
    const kernel::ExprPtr value = out.vars[var.name];
    const kernel::ExprPtr lower = var.lower ? with_indices(var.lower, out.vars) : kernel::make_number(0, true);
    conditions.push_back(compared("<=", lower, value));
    conditions.push_back(compared("<", value, with_indices(var.upper, out.vars)));
  }
  if (write.guard) {
    conditions.push_back(with_indices(write.guard, out.vars));
  }
  for (const kernel::ExprPtr& condition : conditions) {
    const auto decided = m_facts.decide(*condition);
    if (decided && !*decided) {
      return std::nullopt;
    }
    out.condition = decided ? out.condition : both(out.condition, condition);
  }
  return out;
}

Result<kernel::ExprPtr> Interpreter::read(std::size_t level, const std::string& array,
                                          const std::vector<kernel::ExprPtr>& subscripts, const Place& place)
{
  return read_writes(level, m_frames[level].writes.size(), array, subscripts, place);
}

// Looks at the first `count` writes of a level, the last one first, and then at the levels around it.
Result<kernel::ExprPtr> Interpreter::read_writes(std::size_t level, std::size_t count, const std::string& array,
                                                 const std::vector<kernel::ExprPtr>& subscripts, const Place& place)
{
  for (std::size_t i = count; i-- > 0;) {
    Write& one = m_frames[level].writes[i];
    if (one.array != array) {
      continue;
    }
    HONE_TRY(const auto found, match(one, subscripts));
    if (!found) {
      continue;
    }
    const bool again = m_deciding || !one.vars.empty() || m_scope.size() > one.depth;
    // Read in more loops than it was written in, it would be computed again for each of their iterations.
    const bool repeated = m_scope.size() > std::max(one.vars.size(), one.depth) && takes_long(*one.value);
    if (again && (holds_reduction(*one.value) || nodes_of(*one.value) > k_largest_inlined || repeated)) {
      one.value =
        materialised(one.value, written_name(array), one.vars, one.guard); // its guard still hides older writes
    }
    const kernel::ExprPtr value = with_indices(one.value, found->vars);
    if (!found->condition) {
      return value;
    }
    const Facts facts = m_facts;
    m_facts.assume(found->condition, false);
    auto rest = read_writes(level, i, array, subscripts, place);
    m_facts = facts;
    HONE_TRY(const kernel::ExprPtr otherwise, std::move(rest));
    return choice(found->condition, value, otherwise);
  }
  if (level == 0) {
    return initial(array, subscripts);
  }
  Frame& frame = m_frames[level];
  if (frame.arrays.contains(array)) {
    frame.reads.push_back({array, subscripts, m_facts, place});
    return make_load(fmt::format("@{}:#{}", frame.number, array), subscripts, *m_arrays.at(array).type.data);
  }
  return read(level - 1, array, subscripts, place);
}

Result<kernel::ExprPtr> Interpreter::initial(const std::string& array,
                                             const std::vector<kernel::ExprPtr>& subscripts) const
{
  const ForeignArray& of = m_arrays.at(array);
  if (!of.argument && !m_ordered) {
    return make_load("@undefined", {}, *of.type.data);
  }
  return make_load(array, subscripts, *of.type.data);
}

// True when some subscript always differs.
bool Interpreter::never_alias(const std::vector<kernel::ExprPtr>& a, const std::vector<kernel::ExprPtr>& b,
                              const Facts& facts) const
{
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Polynomial difference = polynomial_of(*a[k]) - polynomial_of(*b[k]);
    const Polynomial one = Polynomial::constant(1);
    if (facts.proves(difference - one) || facts.proves(scaled(difference, -1) - one)) {
      return true;
    }
  }
  return false;
}

// The write as another, earlier iteration of the frame's loop makes it; what holds about it is added to the facts.
Interpreter::Write Interpreter::earlier(const Frame& frame, const Write& write, Facts& facts) const
{
  const auto other_name = [](const std::string& name) { return name + "'"; };
  std::map<std::string, kernel::ExprPtr> renamed{{frame.range.name, kernel::make_index(other_name(frame.range.name))}};
  for (const kernel::IndexRange& var : write.vars) {
    renamed[var.name] = kernel::make_index(other_name(var.name));
  }
  const auto assume = [&](const kernel::IndexRange& range) {
    facts.assume_range(
      {other_name(range.name), with_indices(range.lower, renamed), with_indices(range.upper, renamed), range.place});
  };
  assume(frame.range);
  std::ranges::for_each(write.vars, assume);
  const Polynomial here = polynomial_of(*kernel::make_index(frame.range.name));
  const Polynomial there = polynomial_of(*kernel::make_index(other_name(frame.range.name)));
  facts.assume_nonnegative((frame.descending ? there - here : here - there) - Polynomial::constant(1));
  Write out = write;
  for (kernel::ExprPtr& subscript : out.subscripts) {
    subscript = with_indices(subscript, renamed);
  }
  return out;
}

// An iteration may not read what an earlier one wrote, nor write over it, unless it accumulates there.
Result<void> Interpreter::check_independence(const Frame& frame) const
{
  const std::string index = written_name(frame.range.name);
  for (const Write& one : frame.writes) {
    const bool moves = std::ranges::any_of(
      one.subscripts, [&](const kernel::ExprPtr& subscript) { return mentions_index(subscript, frame.range.name); });
    for (const Read& read : frame.reads) {
      const bool in_place = !moves && std::ranges::equal(read.subscripts, one.subscripts, same);
      if (read.array != one.array || in_place) {
        continue;
      }
      Facts facts = read.facts;
      const Write before = earlier(frame, one, facts);
      if (!never_alias(read.subscripts, before.subscripts, facts)) {
        return fail(fmt::format("'{}' may be read where an earlier iteration of the loop over '{}' wrote it",
                                written_name(one.array), index),
                    "a kernel's elements are computed independently of each other: read from one array and write to "
                    "another",
                    read.place);
      }
    }
    for (const Write& other : frame.writes) {
      const bool in_place = !moves && std::ranges::equal(other.subscripts, one.subscripts, same);
      if (&other == &one || other.array != one.array || in_place) {
        continue;
      }
      Facts facts = m_facts;
      for (const kernel::IndexRange& var : other.vars) {
        facts.assume_range(var);
      }
      const Write before = earlier(frame, one, facts);
      const bool same_place = std::ranges::equal(other.subscripts, one.subscripts, same);
      if (!same_place && !never_alias(other.subscripts, before.subscripts, facts)) {
        return fail(fmt::format("two assignments to '{}' in the loop over '{}' may write the same element in different "
                                "iterations",
                                written_name(one.array), index),
                    "write each element in one place", other.place);
      }
    }
  }
  return {};
}

} // namespace hone::import
