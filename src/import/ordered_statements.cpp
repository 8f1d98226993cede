// What was run on symbols, as statements inside loops that are run in order: where they write, and in which order they
// stand.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::import {

namespace {

bool loads_tensor(const kernel::Expr& value, const std::string& tensor)
{
  return any_node(value,
                  [&](const kernel::Expr& node) { return node.kind == kernel::ExprKind::load && node.name == tensor; });
}

bool loads_tensor(const DraftStatement& statement, const std::string& tensor)
{
  const auto in_bounds = [&](const kernel::IndexRange& range) {
    return (range.lower && loads_tensor(*range.lower, tensor)) || loads_tensor(*range.upper, tensor);
  };
  return loads_tensor(*statement.value, tensor) || (statement.guard && loads_tensor(*statement.guard, tensor))
         || std::ranges::any_of(statement.indices, in_bounds)
         || std::ranges::any_of(statement.subscripts,
                                [&](const kernel::ExprPtr& subscript) { return loads_tensor(*subscript, tensor); });
}

// A sum in it is the same for several elements that the write computes: it would be computed anew for each.
bool repeats_sums(const kernel::Expr& value, const std::vector<kernel::IndexRange>& vars)
{
  return any_node(value, [&](const kernel::Expr& node) {
    if (node.kind != kernel::ExprKind::reduce) {
      return false;
    }
    const std::set<std::string> needed = free_indices(node);
    return std::ranges::any_of(vars, [&](const kernel::IndexRange& var) { return !needed.contains(var.name); });
  });
}

bool runs_over(const kernel::IndexRange& range, const kernel::ExprPtr& extent)
{
  return (!range.lower || is_literal(*range.lower, 0)) && same(normal(range.upper), normal(extent));
}

} // namespace

kernel::ExprPtr of_type(const kernel::ExprPtr& value, const CType& type)
{
  if (type.kind != CType::Kind::floating || kernel::is_float(value->type) || is_condition(*value)) {
    return value;
  }
  return value->kind == kernel::ExprKind::number ? kernel::make_number(value->number)
                                                 : make_cast(type.data.value_or(kernel::DataType::f64), value);
}

// Who reads a target goes before who writes it.
Result<void> Interpreter::emit_together(std::vector<DraftStatement> statements)
{
  while (!statements.empty()) {
    const auto free = std::ranges::find_if(statements, [&](const DraftStatement& one) {
      return std::ranges::none_of(statements, [&](const DraftStatement& other) {
        const bool earlier = &other < &one && other.target == one.target;
        return &other != &one && (earlier || loads_tensor(other, one.target));
      });
    });
    if (free == statements.end()) {
      return fail(fmt::format("'{}' is computed from what is overwritten with it", written_name(statements[0].target)),
                  "write to separate arrays", m_function->place);
    }
    emit(std::move(*free));
    statements.erase(free);
  }
  return {};
}

bool Interpreter::is_scalar_argument(const std::string& name) const
{
  return std::ranges::any_of(m_function->parameters, [&](const CParameter& parameter) {
    return parameter.name == name && parameter.type.extents.empty();
  });
}

// if (x < a[i]) a[i] = x; is a minimum.
void Interpreter::join_guard(Write& one) const
{
  if (!one.guard || !one.vars.empty()) {
    return;
  }
  const kernel::ExprPtr old = make_load(one.array, one.subscripts, *m_arrays.at(one.array).type.data);
  const kernel::ExprPtr chosen = choice(one.guard, one.value, old);
  if (chosen->kind == kernel::ExprKind::call && (chosen->name == "min" || chosen->name == "max")) {
    one.value = chosen;
    one.guard = nullptr;
  }
}

// A write whose subscripts are indices of its own, or do not depend on them.
Result<DraftStatement> Interpreter::statement_of(Write one)
{
  const ForeignArray& array = m_arrays.at(one.array);
  join_guard(one);
  DraftStatement out{one.array, {}, of_type(one.value, array.type), both(m_guard, one.guard), !array.argument, {}, {}};
  if (repeats_sums(*one.value, one.vars)) {
    return fail(fmt::format("a sum is used for several elements of '{}'", written_name(one.array)), {}, one.place);
  }
  const auto refuse = [&] {
    return fail(fmt::format("where the loops write '{}' is not understood", written_name(one.array)), {}, one.place);
  };
  std::map<std::string, kernel::ExprPtr> moved; // the indices of the write, by those of the statement
  for (const kernel::ExprPtr& subscript : one.subscripts) {
    const kernel::IndexRange* var = nullptr;
    for (const kernel::IndexRange& candidate : one.vars) {
      if (mentions_index(subscript, candidate.name)) {
        if (var != nullptr || moved.contains(candidate.name)) {
          return refuse();
        }
        var = &candidate;
      }
    }
    if (var == nullptr) {
      out.subscripts.push_back(subscript);
      continue;
    }
    const auto split = linear_in(polynomial_of(*subscript), var->name);
    const auto factor = split ? split->factor.as_constant() : std::nullopt;
    if (!factor || (*factor != 1 && *factor != -1)) {
      return refuse();
    }
    const kernel::ExprPtr shift = expression_of(split->rest), none = kernel::make_number(0, true),
                          unit = kernel::make_number(1, true);
    kernel::IndexRange range{var->name, with_indices(var->lower, moved), with_indices(var->upper, moved), var->place};
    if (!split->rest.terms.empty() || *factor < 0) {
      range.name = fresh_index(written_name(var->name));
      const kernel::ExprPtr low = range.lower ? range.lower : none;
      const kernel::ExprPtr at = kernel::make_index(range.name);
      moved[var->name] = normal(arithmetic("-", *factor > 0 ? at : shift, *factor > 0 ? shift : at));
      const kernel::ExprPtr upper = range.upper;
      range.lower =
        normal(*factor > 0 ? arithmetic("+", low, shift) : arithmetic("+", arithmetic("-", shift, upper), unit));
      range.upper =
        normal(*factor > 0 ? arithmetic("+", upper, shift) : arithmetic("+", arithmetic("-", shift, low), unit));
      m_ranges[range.name] = range;
    } else {
      moved[var->name] = kernel::make_index(var->name);
    }
    out.subscripts.push_back(kernel::make_index(range.name));
    out.indices.push_back(std::move(range));
  }
  if (moved.size() != one.vars.size()) {
    return refuse();
  }
  // A range may depend on indices to its left only.
  for (std::size_t i = 0; i < out.indices.size(); ++i) {
    for (const kernel::IndexRange& var : one.vars) {
      const auto known = std::find_if(out.indices.begin(), out.indices.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const kernel::IndexRange& range) { return range.name == var.name; });
      const bool mentions =
        mentions_index(out.indices[i].upper, var.name) || mentions_index(out.indices[i].lower, var.name);
      if (mentions && known == out.indices.begin() + static_cast<std::ptrdiff_t>(i)) {
        return refuse();
      }
    }
  }
  out.value = with_indices(out.value, moved);
  out.guard = with_indices(out.guard, moved);
  if (holds_mark(*out.value) || (out.guard && holds_mark(*out.guard))) {
    return fail(fmt::format("'{}' is computed from a value that is not known", written_name(one.array)), {}, one.place);
  }
  return out;
}

// Adds a statement where the program is now. Outside of loops it computes all of its target; where it does not, it is
// put into a loop of one round.
void Interpreter::emit(DraftStatement statement)
{
  std::vector<DraftStatement>& all = m_semantics.statements;
  const auto array = m_arrays.find(statement.target);
  if (array != m_arrays.end() && array->second.argument) {
    m_semantics.written.insert(statement.target);
  }
  const bool known = std::ranges::find(all, statement.target, &DraftStatement::target) != all.end();
  statement.loops = m_serial;
  bool covers = !statement.guard;
  for (std::size_t i = 0; i < statement.subscripts.size(); ++i) {
    const kernel::Expr& subscript = *statement.subscripts[i];
    covers = covers && std::ranges::any_of(statement.indices, [&](const kernel::IndexRange& range) {
               return subscript.kind == kernel::ExprKind::index && subscript.name == range.name
                      && runs_over(range, array->second.shape[i]);
             });
  }
  if (m_serial.empty() && covers && !known) {
    statement.subscripts.clear(); // a plain statement
    all.push_back(std::move(statement));
    return;
  }
  if (array != m_arrays.end() && statement.intermediate && !known) {
    begin_with_zeros(array->second);
  }
  if (m_serial.empty()) {
    m_block_start = all.size();
    const std::string once = fresh_index("once");
    statement.loops.push_back({1 << 20 | ++m_fresh, {once, nullptr, kernel::make_number(1, true), {}}});
    m_ranges[once] = statement.loops.back().range;
  }
  all.push_back(std::move(statement));
}

// A local array that is filled part by part, before the loops that fill it.
void Interpreter::begin_with_zeros(const ForeignArray& array)
{
  const bool whole = array.type.kind != CType::Kind::floating && array.type.data && !kernel::is_float(*array.type.data);
  DraftStatement zeros{array.name, {}, kernel::make_number(0, whole), nullptr, true, {}, {}};
  for (const kernel::ExprPtr& extent : array.shape) {
    zeros.indices.push_back({fresh_index("at"), nullptr, extent, {}});
    m_ranges[zeros.indices.back().name] = zeros.indices.back();
  }
  std::vector<DraftStatement>& all = m_semantics.statements;
  const std::size_t at = m_serial.empty() ? all.size() : m_block_start;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), std::move(zeros));
  ++m_block_start;
}

// Local variables have a value before they are read.
Result<void> Interpreter::check_values() const
{
  std::set<std::string> known;
  for (const DraftStatement& one : m_semantics.statements) {
    std::string unknown;
    const auto note = [&](const kernel::Expr& node) {
      if (node.kind == kernel::ExprKind::load && node.name.contains('#') && !known.contains(node.name)) {
        unknown = node.name;
      }
      return !unknown.empty();
    };
    if (any_node(*one.value, note) || (one.guard && any_node(*one.guard, note))) {
      const bool array = m_arrays.contains(unknown);
      return fail(array ? fmt::format("elements of '{}' are read before they are written", written_name(unknown))
                        : fmt::format("'{}' is read before it has a value", written_name(unknown)),
                  {}, m_function->place);
    }
    known.insert(one.target);
  }
  return {};
}

// Cells that nothing but they themselves read.
void Interpreter::drop_idle_cells()
{
  std::vector<DraftStatement>& all = m_semantics.statements;
  for (bool again = true; again;) {
    const auto is_idle = [&](const DraftStatement& one) {
      return one.intermediate && std::ranges::none_of(all, [&](const DraftStatement& other) {
               return other.target != one.target && loads_tensor(other, one.target);
             });
    };
    again = std::erase_if(all, is_idle) > 0;
  }
}

} // namespace hone::import
