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

} // namespace hone::import
