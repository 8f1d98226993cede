// A function whose iterations depend on each other: loops stay loops and are run in order, as far in as is needed.
// What lies inside them is still summarised where that is right (loop_summary.cpp).
//
// Scalars that a loop carries from one iteration to the next become tensors of no dimension ("cells").
#include "import/first_use.h"
#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::import {

namespace {

bool holds_loop(const CNode& node)
{
  return node.kind == CKind::for_ || node.kind == CKind::while_
         || std::ranges::any_of(node.children, [](const CNodePtr& child) { return holds_loop(*child); });
}

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

// What has the C type: a whole number is written as a float where the variable holds floats.
kernel::ExprPtr of_type(const kernel::ExprPtr& value, const CType& type)
{
  if (type.kind != CType::Kind::floating || kernel::is_float(value->type) || is_condition(*value)) {
    return value;
  }
  return value->kind == kernel::ExprKind::number ? kernel::make_number(value->number)
                                                 : make_cast(type.data.value_or(kernel::DataType::f64), value);
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

Result<Semantics> Interpreter::interpret_in_order(const Survey& survey)
{
  m_known = survey;
  m_ordered = true;
  HONE_CHECK(begin());
  HONE_CHECK(flush());
  HONE_CHECK(run_in_order(*m_function->body, true));
  if (m_returned && m_returned->number && m_function->result.data) {
    std::string& result = m_semantics.result;
    result = "result";
    while (std::ranges::find(m_function->parameters, result, &CParameter::name) != m_function->parameters.end()) {
      result = "returned_" + result;
    }
    m_semantics.statements.push_back(
      {result, {}, of_type(m_returned->number, m_function->result), nullptr, false, {}, {}});
    m_semantics.written.insert(result);
  }
  if (m_semantics.written.empty()) {
    return fail(fmt::format("'{}' writes to none of its arguments and returns nothing", m_function->name),
                "a kernel computes something: let the function write to an array", m_function->place);
  }
  drop_idle_cells();
  HONE_CHECK(check_values());
  m_semantics.inout = kept_arguments(m_semantics, m_arrays);
  return std::move(m_semantics);
}

Result<void> Interpreter::run_in_order(const CNode& node, bool tail)
{
  const Interpreter before = *this;
  const std::size_t statements = m_semantics.statements.size();
  Result<void> whole = run(node, tail);
  if (whole) {
    forget_locals(node, before.m_scalars);
    whole = flush();
    const bool block = node.kind == CKind::block && node.children.size() > 1;
    if (whole && (!block || m_semantics.statements.size() <= statements + 1)) {
      return {};
    }
  }
  *this = before;
  switch (node.kind) {
  case CKind::block:
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      HONE_CHECK(run_in_order(*node.children[i], tail && i + 1 == node.children.size()));
    }
    return {};
  case CKind::for_:
  case CKind::while_:
    return run_serial(node);
  case CKind::if_:
    if (holds_loop(node)) {
      return run_if_in_order(node, tail);
    }
    break;
  default:
    break;
  }
  return whole ? fail("a statement does several things at once", "split it into several statements", node.place)
               : whole;
}

// Variables that a block declares end with it, and those that every iteration begins anew end with the iteration.
void Interpreter::forget_locals(const CNode& node, const std::map<std::string, CValue>& before)
{
  if (node.kind != CKind::block) {
    return;
  }
  std::erase_if(m_scalars, [&](const auto& entry) { return !before.contains(entry.first); });
  if (&node != m_body) {
    return;
  }
  for (const auto& [declaration, name] : assigned_in(node)) {
    const auto found = m_scalars.find(declaration);
    if (found != m_scalars.end() && found->second.number && !m_carried.contains(declaration)) {
      found->second.number = make_load("@lost", {}, kernel::DataType::i64);
    }
  }
}

Result<void> Interpreter::run_if_in_order(const CNode& node, bool tail)
{
  HONE_TRY(kernel::ExprPtr test, condition(*node.children[0]));
  const bool reads = any_node(*test, [](const kernel::Expr& part) { return part.kind == kernel::ExprKind::load; });
  if (reads) { // the branches may change what it reads
    const std::string cell = fmt::format("taken#{}", ++m_fresh);
    emit({cell, {}, test, nullptr, true, {}, {}});
    test = make_load(cell, {}, kernel::DataType::boolean);
  }
  for (std::size_t branch = 1; branch < node.children.size(); ++branch) {
    const kernel::ExprPtr holds = branch == 1 ? test : opposite(test);
    const kernel::ExprPtr outside = std::exchange(m_guard, both(m_guard, holds));
    const Facts facts = m_facts;
    m_facts.assume(holds, true);
    Result<void> done = run_in_order(*node.children[branch], tail);
    m_facts = facts;
    m_guard = outside;
    HONE_CHECK(std::move(done));
  }
  return {};
}

// One loop that is run in order.
Result<void> Interpreter::run_serial(const CNode& node)
{
  const auto outside = m_scalars;
  HONE_TRY(const Header header, header_of(node));
  const std::map<std::string, std::string> assigned = assigned_in(*header.body);
  if (assigned.contains(header.declaration)) {
    return fail(fmt::format("the index '{}' is changed inside its loop", header.name), {}, node.place);
  }
  Frame frame;
  frame.number = m_loops++;
  frame.range = {fresh_index(header.name), header.lower, header.upper, node.place};
  m_ranges[frame.range.name] = frame.range;
  const Facts facts = m_facts;
  if (m_serial.empty()) {
    m_block_start = m_semantics.statements.size();
  }
  const std::set<std::string> carried_outside = m_carried;
  HONE_CHECK(carry_scalars(header, assigned));
  m_facts.assume_range(frame.range);
  bind_index(header, frame);
  if (header.descending) { // counted from the other end
    const kernel::ExprPtr last =
      arithmetic("-", arithmetic("+", header.lower, header.upper), kernel::make_number(1, true));
    m_scalars[header.declaration].number = normal(arithmetic("-", last, kernel::make_index(frame.range.name)));
  }
  const std::map<std::string, CValue> behind = follow_counters(*header.body, frame, assigned);
  for (const auto& [declaration, value] : behind) {
    m_carried.erase(declaration);
  }
  const kernel::ExprPtr window = window_of(header);
  const kernel::ExprPtr guard = std::exchange(m_guard, both(m_guard, window));
  if (window) {
    m_facts.assume(window, true);
  }
  m_serial.push_back({static_cast<int>(frame.number) + 1, frame.range});
  const CNode* const body = std::exchange(m_body, header.body);
  Result<void> done = run_in_order(*header.body, true);
  m_body = body;
  m_serial.pop_back();
  m_guard = guard;
  m_facts = facts;
  const std::map<std::string, CValue> inside = std::exchange(m_scalars, outside);
  for (const auto& [declaration, name] : assigned) {
    if (behind.contains(declaration)) {
      m_scalars[declaration] = behind.at(declaration);
    } else if (m_scalars.contains(declaration)) {
      const bool kept = m_carried.contains(declaration);
      m_scalars[declaration] =
        kept ? inside.at(declaration) : CValue{make_load("@lost", {}, kernel::DataType::i64), {}, {}, {}};
    }
  }
  m_carried = carried_outside;
  leave_index(header, outside);
  return done;
}

// Scalars that an iteration may read as the one before has left them get a cell.
Result<void> Interpreter::carry_scalars(const Header& header, const std::map<std::string, std::string>& assigned)
{
  for (const auto& [declaration, name] : assigned) {
    const auto found = m_scalars.find(declaration);
    if (found == m_scalars.end() || begins_anew_in(*header.body, declaration)) {
      continue;
    }
    if (!found->second.number) {
      continue; // a pointer: follow_counters() knows it, or it is told
    }
    m_carried.insert(declaration);
    HONE_CHECK(keep_scalar(declaration, found->second));
  }
  return {};
}

// Stores a scalar in its cell, where it does not hold that value already.
Result<void> Interpreter::keep_scalar(const std::string& declaration, CValue& value)
{
  std::string& cell = m_cells[declaration];
  if (cell.empty()) {
    cell = fmt::format("{}#{}", m_names[declaration], ++m_fresh);
  }
  const CType& type = m_types[declaration];
  const kernel::DataType data = type.data.value_or(kernel::DataType::i64);
  const kernel::ExprPtr kept =
    make_load(cell, {}, type.kind == CType::Kind::boolean ? kernel::DataType::boolean : data);
  const bool unset = is_mark(*value.number, "@undefined");
  if (!unset && holds_mark(*value.number)) {
    return fail(fmt::format("what '{}' holds here is not known", m_names[declaration]),
                "give it a value in the same block", m_function->place);
  }
  if (!unset && !same(value.number, kept)) {
    emit({cell, {}, of_type(value.number, type), m_guard, true, {}, {}});
  }
  value.number = kept;
  return {};
}

// Turns what was run since the last time into statements: all of it refers to what memory held before.
Result<void> Interpreter::flush()
{
  std::vector<DraftStatement> out;
  for (Write& one : std::exchange(m_frames.back().writes, {})) {
    HONE_TRY(DraftStatement statement, statement_of(std::move(one)));
    out.push_back(std::move(statement));
  }
  std::vector<std::string> scalars; // that are to be kept
  for (auto& [declaration, value] : m_scalars) {
    if (!value.number) {
      continue;
    }
    const auto cell = m_cells.find(declaration);
    const bool in_cell =
      cell != m_cells.end() && value.number->kind == kernel::ExprKind::load && value.number->name == cell->second;
    bool fixed = !any_node(*value.number, [&](const kernel::Expr& node) {
      return node.kind == kernel::ExprKind::load && !node.name.starts_with('@') && !is_scalar_argument(node.name);
    });
    constexpr int k_short = 12; // nodes of a number that is written out where it is used
    fixed = fixed && (!kernel::is_float(value.number->type) || nodes_of(*value.number) <= k_short);
    if (!in_cell && (m_carried.contains(declaration) || !fixed) && !is_mark(*value.number, "@undefined")) {
      scalars.push_back(declaration);
    }
  }
  for (const std::string& declaration : scalars) {
    CValue& value = m_scalars.at(declaration);
    if (holds_mark(*value.number) && !m_carried.contains(declaration)) {
      continue; // not known, and only told where somebody asks
    }
    std::vector<DraftStatement>& all = m_semantics.statements;
    const std::size_t before = all.size();
    HONE_CHECK(keep_scalar(declaration, value));
    out.insert(out.end(), std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(before)),
               std::make_move_iterator(all.end()));
    all.resize(before);
  }
  return emit_together(std::move(out));
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
