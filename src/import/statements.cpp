// Statements except loops.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::import {

namespace {

bool jumps(const CNode& node)
{
  if (node.kind == CKind::block) {
    return !node.children.empty() && jumps(*node.children.back());
  }
  return node.kind == CKind::return_ || node.kind == CKind::continue_;
}

// A variable of type bool holds a condition, and every other one a number. 0 and 1 may stand for either.
kernel::ExprPtr as_type(const kernel::ExprPtr& value, const CType& type)
{
  const bool constant = value->kind == kernel::ExprKind::number;
  return type.kind != CType::Kind::boolean ? as_number(value) : constant ? value : as_condition(value);
}

// Whether running an expression changes anything.
bool has_effect(const CNode& node)
{
  return changes_its_operand(node) || node.kind == CKind::call || node.kind == CKind::other
         || std::ranges::any_of(node.children, [](const CNodePtr& child) { return has_effect(*child); });
}

// The condition of an assert(): what an expansion tests before it calls the function that ends the program.
const CNode* asserted(const CNode& node)
{
  const auto fails = [](const CNode& part) {
    const CNode& bare = without_casts(part);
    return bare.kind == CKind::call && (bare.text == "__assert_fail" || bare.text == "__assert_rtn");
  };
  const bool branches = node.kind == CKind::if_ || node.kind == CKind::conditional;
  if (branches && node.children.size() == 3 && fails(*node.children[2])) {
    return node.children[0].get();
  }
  for (const CNodePtr& child : node.children) {
    if (const CNode* found = asserted(*child)) {
      return found;
    }
  }
  return nullptr;
}

bool is_assignment(const CNode& node)
{
  constexpr std::array<std::string_view, 6> ops{"=", "+=", "-=", "*=", "/=", "%="};
  return node.kind == CKind::binary && std::ranges::find(ops, node.text) != ops.end();
}

} // namespace

// The survey collects mistakes instead of stopping at the first.
Result<void> Interpreter::run(const CNode& node, bool tail)
{
  Result<void> done = run_statement(node, tail);
  if (!done && surveying()) {
    if (!done.error().message.empty()) { // empty: a consequence of one before
      m_survey->errors.push_back(std::move(done.error()));
    }
    return {};
  }
  return done;
}

Result<void> Interpreter::run_block(std::span<const CNodePtr> statements, bool tail)
{
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const CNode& node = *statements[i];
    const bool last = i + 1 == statements.size();
    const auto branch_jumps = [](const CNodePtr& branch) { return jumps(*branch); };
    if (node.kind == CKind::if_ && tail && std::any_of(node.children.begin() + 1, node.children.end(), branch_jumps)) {
      return run_if(node, statements.subspan(i + 1), true); // what follows runs only where it does not jump
    }
    HONE_CHECK(run(node, tail && last));
  }
  return {};
}

// The function may rely on what it asserts.
Result<void> Interpreter::run_assertion(const CNode& asserted)
{
  const CNode& bare = without_casts(asserted);
  if (bare.kind == CKind::binary && bare.text == "&&") {
    HONE_CHECK(run_assertion(*bare.children[0]));
    return run_assertion(*bare.children[1]);
  }
  const auto holds = condition(asserted);
  if (!holds) {
    return {}; // that a pointer is not null, say: a kernel's arguments are always there
  }
  m_facts.assume(*holds, true);
  const bool plain = (*holds)->kind == kernel::ExprKind::binary && only_sizes(**holds);
  if (surveying() && plain && !Facts().decide(**holds)) {
    m_survey->asserted.push_back(*holds);
  }
  return {};
}

Result<void> Interpreter::run_statement(const CNode& node, bool tail)
{
  const bool expression = node.kind == CKind::binary || node.kind == CKind::conditional || node.kind == CKind::cast;
  if (const CNode* const asserted = expression ? import::asserted(node) : nullptr) {
    return run_assertion(*asserted);
  }
  switch (node.kind) {
  case CKind::block:
    return run_block(node.children, tail);
  case CKind::declaration:
    for (const CNodePtr& variable : node.children) {
      m_not_understood.insert(variable->declaration);
      HONE_CHECK(declare(*variable));
      m_not_understood.erase(variable->declaration);
    }
    return {};
  case CKind::if_:
    return run_if(node, {}, tail);
  case CKind::for_:
  case CKind::while_:
    return run_for(node);
  case CKind::empty:
    return {};
  case CKind::do_:
    return fail("a 'do' loop: how often it runs is not known before it ends",
                "a kernel's loops are counted: for (int i = 0; i < n; i++)", node.place);
  case CKind::break_:
    return fail("the loop is left early ('break'): how often it runs depends on data",
                "let it run to its end and guard what it does with if", node.place);
  case CKind::return_:
  case CKind::continue_:
    if (!tail || (node.kind == CKind::return_ && m_frames.size() > m_call_frames)) {
      return fail(node.kind == CKind::return_ ? "the function returns from inside a loop or a nested block"
                                              : "'continue' in a nested block is not understood",
                  "guard what follows with if instead", node.place);
    }
    if (!node.children.empty()) {
      HONE_TRY(m_returned, evaluate(*node.children[0]));
    }
    return {};
  case CKind::binary:
    if (is_assignment(node)) {
      return assign(node);
    }
    if (node.text == ",") {
      HONE_CHECK(run_statement(*node.children[0], false));
      return run_statement(*node.children[1], tail);
    }
    break;
  case CKind::unary:
    if (node.text == "++" || node.text == "--" || node.text == "post++" || node.text == "post--") {
      const std::string op = node.text.ends_with("++") ? "+" : "-";
      return store(*node.children[0], kernel::make_number(1, true), op, node.place);
    }
    break;
  case CKind::cast:
    return run_statement(*node.children[0], tail);
  case CKind::call: {
    if (is_memory_call(node)) {
      return set_memory(node);
    }
    HONE_TRY([[maybe_unused]] const CValue ignored, call(node));
    return {};
  }
  default:
    break;
  }
  if (!has_effect(node)) { // (void)unused;
    return {};
  }
  return fail(fmt::format("a statement of this kind is not understood ({})", node.text),
              "for, if, assignments, declarations and calls are", node.place);
}

Result<void> Interpreter::run_if(const CNode& node, std::span<const CNodePtr> rest, bool tail)
{
  m_deciding = true;
  auto evaluated = condition(*node.children[0]);
  m_deciding = false;
  HONE_TRY(const kernel::ExprPtr test, std::move(evaluated));
  const CNode* const then = node.children[1].get();
  const CNode* const otherwise = node.children.size() > 2 ? node.children[2].get() : nullptr;
  const auto run_then = [&]() -> Result<void> {
    HONE_CHECK(run(*then, tail));
    return jumps(*then) ? Result<void>() : run_block(rest, tail);
  };
  const auto run_otherwise = [&]() -> Result<void> {
    if (otherwise != nullptr) {
      HONE_CHECK(run(*otherwise, tail));
    }
    return otherwise != nullptr && jumps(*otherwise) ? Result<void>() : run_block(rest, tail);
  };
  const auto decided = m_facts.decide(*test);
  if (decided) {
    return *decided ? run_then() : run_otherwise();
  }
  return run_branches(test, run_then, run_otherwise);
}

// Runs both branches from the same state and joins what they leave behind.
Result<void> Interpreter::run_branches(const kernel::ExprPtr& condition, const std::function<Result<void>()>& then,
                                       const std::function<Result<void>()>& otherwise)
{
  struct End {
    std::map<std::string, CValue> scalars;
    std::vector<Write> writes;
    std::optional<CValue> returned;
  };
  const auto before = m_scalars;
  const std::size_t mark = m_frames.back().writes.size();
  const std::size_t barrier = std::exchange(m_barrier, mark);
  const auto run_one = [&](const std::function<Result<void>()>& branch, bool holds) -> Result<End> {
    const Facts facts = m_facts;
    m_facts.assume(condition, holds);
    m_scalars = before;
    m_returned.reset();
    HONE_CHECK(branch());
    m_facts = facts;
    std::vector<Write>& writes = m_frames.back().writes;
    const auto cut = writes.begin() + static_cast<std::ptrdiff_t>(mark);
    End end{std::move(m_scalars), {cut, writes.end()}, std::move(m_returned)};
    writes.erase(cut, writes.end());
    return end;
  };
  HONE_TRY(End yes, run_one(then, true));
  HONE_TRY(End no, run_one(otherwise, false));
  m_barrier = barrier;

  m_scalars = before;
  for (auto& [declaration, value] : m_scalars) {
    const CValue& a = yes.scalars.at(declaration);
    const CValue& b = no.scalars.at(declaration);
    if (a.number && b.number) {
      value.number = choice(condition, a.number, b.number);
    } else if (!a.number && (a.array != b.array || !same(a.offset, b.offset))) {
      return fail(fmt::format("where the pointer '{}' points depends on a condition", m_names[declaration]),
                  "choose between the values, not between the pointers", {});
    }
  }
  if (yes.returned && no.returned && yes.returned->number && no.returned->number) {
    m_returned = CValue{choice(condition, yes.returned->number, no.returned->number), {}, {}, {}};
  } else {
    m_returned = yes.returned ? yes.returned : no.returned;
  }
  const auto only = [](const std::vector<Write>& writes, const Write& one) {
    return one.vars.empty() && !one.guard && std::ranges::count(writes, one.array, &Write::array) == 1;
  };
  for (Write& one : yes.writes) {
    const auto other = std::ranges::find(no.writes, one.array, &Write::array);
    if (other != no.writes.end() && only(yes.writes, one) && only(no.writes, *other)
        && std::ranges::equal(one.subscripts, other->subscripts, same)) {
      one.value = choice(condition, one.value, other->value);
      no.writes.erase(other);
    } else {
      one.guard = both(condition, one.guard);
    }
    write(std::move(one));
  }
  for (Write& one : no.writes) {
    one.guard = both(opposite(condition), one.guard);
    write(std::move(one));
  }
  return {};
}

Result<void> Interpreter::declare(const CNode& variable)
{
  if (variable.kind != CKind::variable) {
    return fail(fmt::format("a declaration of this kind is not understood ({})", variable.text), {}, variable.place);
  }
  m_names[variable.declaration] = variable.text;
  m_types[variable.declaration] = variable.type;
  if (!variable.type.extents.empty() && !variable.type.pointer) {
    ForeignArray array;
    array.name = fmt::format("{}#{}", variable.text, ++m_local_arrays);
    array.type = variable.type;
    array.on_stack = true;
    array.place = variable.place;
    if (!array.type.data) {
      return fail(fmt::format("elements of type '{}' have no counterpart in a kernel", array.type.element),
                  "float, double, int, long, char and bool have", variable.place);
    }
    std::size_t written = 0;
    for (const std::int64_t extent : variable.type.extents) {
      if (extent >= 0) {
        written += variable.extents.size() == variable.type.extents.size() ? 1 : 0;
        array.declared.push_back(kernel::make_number(static_cast<double>(extent), true));
      } else if (written < variable.extents.size()) {
        HONE_TRY(const kernel::ExprPtr value, number(*variable.extents[written++]));
        array.declared.push_back(value);
      } else {
        array.declared.push_back(nullptr);
      }
    }
    array.shape = array.declared;
    m_scalars[variable.declaration] = CValue{nullptr, array.name, {}, kernel::make_number(0, true)};
    m_arrays[array.name] = array;
    return variable.children.empty() ? Result<void>() : fill(array, *variable.children[0], {});
  }
  CValue value{make_load("@undefined", {}, kernel::DataType::f64), {}, {}, {}};
  if (!variable.children.empty()) {
    HONE_TRY(value, evaluate(*variable.children[0]));
    if (value.number) {
      value.number = as_type(value.number, variable.type);
    }
  }
  m_scalars[variable.declaration] = std::move(value);
  return {};
}

// The values that a declaration gives an array; the elements that the list leaves out are 0.
Result<void> Interpreter::fill(const ForeignArray& array, const CNode& values, std::vector<kernel::ExprPtr> subscripts)
{
  constexpr std::int64_t k_most = 256;
  if (subscripts.size() == array.declared.size()) {
    kernel::ExprPtr value = kernel::make_number(0, true);
    if (values.kind != CKind::empty) {
      HONE_TRY(value, number(values));
    }
    if (surveying()) {
      for (std::size_t i = 1; i < m_frames.size(); ++i) {
        m_survey->written[m_frames[i].number].insert(array.name);
      }
      return {};
    }
    write({array.name, {}, std::move(subscripts), nullptr, as_type(value, array.type), m_scope.size(), array.place});
    return {};
  }
  const kernel::ExprPtr& extent = array.declared[subscripts.size()];
  const auto count = extent ? polynomial_of(*extent).as_constant() : std::nullopt;
  if ((values.kind != CKind::list && values.kind != CKind::empty) || !count || *count > k_most) {
    return fail(fmt::format("the initial values of the array '{}' are not understood", written_name(array.name)),
                "write a list of at most 256 values, or assign them in a loop", array.place);
  }
  const CNode none{CKind::empty};
  for (std::int64_t i = 0; i < *count; ++i) {
    std::vector<kernel::ExprPtr> next = subscripts;
    next.push_back(kernel::make_number(static_cast<double>(i), true));
    const bool given = static_cast<std::size_t>(i) < values.children.size();
    HONE_CHECK(fill(array, given ? *values.children[static_cast<std::size_t>(i)] : none, std::move(next)));
  }
  return {};
}

Result<void> Interpreter::assign(const CNode& node)
{
  const std::string op = node.text == "=" ? "" : node.text.substr(0, 1);
  const CNode& target = without_casts(*node.children[0]);
  HONE_TRY(CValue value, evaluate(*node.children[1]));
  if (target.kind == CKind::name) {
    return assign_scalar(target, value, op, node.place);
  }
  if (!value.number) {
    return fail("a pointer is stored in an array", {}, node.place);
  }
  return store(target, value.number, op, node.place);
}

Result<void> Interpreter::assign_scalar(const CNode& name, const CValue& value, const std::string& op,
                                        const Place& place)
{
  const auto found = m_scalars.find(name.declaration);
  if (m_not_understood.contains(name.declaration)) {
    return fail("");
  }
  if (found == m_scalars.end()) {
    return fail(fmt::format("'{}', a variable outside the function, is assigned", name.text),
                "return the result through an argument", place);
  }
  CValue after = value;
  if (!found->second.number && !op.empty()) {
    HONE_TRY(after, moved(found->second, op, value.number, place));
  } else if (!op.empty()) {
    HONE_TRY(const CValue old, this->name(name));
    HONE_TRY(after.number, computed(op, old.number, value.number, name.type, place));
  }
  if (after.number) {
    after.number = as_type(after.number, name.type);
  }
  m_scalars[name.declaration] = std::move(after);
  return {};
}

// `op` empty: plain assignment.
Result<void> Interpreter::store(const CNode& written, kernel::ExprPtr value, const std::string& op, const Place& place)
{
  const CNode& target = without_casts(written);
  if (target.kind == CKind::name) {
    return assign_scalar(target, CValue{value, {}, {}, {}}, op, place);
  }
  HONE_TRY(CValue to, place_of(target));
  const ForeignArray& array = m_arrays.at(to.array);
  to.subscripts.push_back(to.offset);
  if (to.subscripts.size() != array.declared.size()) {
    return fail(fmt::format("a whole row of '{}' is assigned", written_name(array.name)), "assign element by element",
                place);
  }
  if (array.argument && array.type.constant) {
    return fail(fmt::format("'{}' is const and is written", array.name), {}, place);
  }
  if (surveying()) {
    m_survey->accesses.push_back({array.name, to.subscripts, m_facts, true, place});
    for (std::size_t i = 1; i < m_frames.size(); ++i) {
      m_survey->written[m_frames[i].number].insert(array.name);
    }
    return {};
  }
  const std::vector<kernel::ExprPtr> subscripts = shaped(array, to.subscripts);
  if (!op.empty()) {
    HONE_TRY(const kernel::ExprPtr old, read(m_frames.size() - 1, array.name, subscripts, place));
    HONE_TRY(value, computed(op, old, value, target.type, place));
  }
  value = as_type(value, array.type);
  write({array.name, {}, subscripts, nullptr, value, m_scope.size(), place});
  return {};
}

} // namespace hone::import
