// Expressions of C -> expressions of the language.
#include "import/interpreter.h"

#include <fmt/format.h>

namespace hone::import {

namespace {

bool is_floating(const CType& type)
{
  return type.kind == CType::Kind::floating && type.extents.empty();
}

bool is_integral(const CType& type)
{
  return (type.kind == CType::Kind::integer || type.kind == CType::Kind::boolean) && type.extents.empty();
}

// f32(n) where n is an integer: only needed where its neighbour is an integer too.
bool is_converted_integer(const kernel::Expr& value)
{
  return value.kind == kernel::ExprKind::cast && kernel::is_float(value.type) && !kernel::is_float(value.args[0]->type);
}

kernel::ExprPtr without_conversion(const kernel::ExprPtr& value, const kernel::ExprPtr& neighbour)
{
  const bool plain = kernel::is_float(neighbour->type) && neighbour->kind != kernel::ExprKind::number
                     && !is_converted_integer(*neighbour);
  return is_converted_integer(*value) && plain ? value->args[0] : value;
}

} // namespace

Result<kernel::ExprPtr> Interpreter::number(const CNode& node)
{
  HONE_TRY(const CValue value, evaluate(node));
  if (!value.number) {
    return fail(fmt::format("the pointer '{}' is used as a number", value.array), {}, node.place);
  }
  return as_number(value.number);
}

Result<kernel::ExprPtr> Interpreter::condition(const CNode& node)
{
  HONE_TRY(const CValue value, evaluate(node));
  if (!value.number) {
    return fail(fmt::format("whether the pointer '{}' is null is not known to a kernel", value.array),
                "a kernel's arguments are always there: take the test out", node.place);
  }
  return as_condition(value.number);
}

Result<CValue> Interpreter::evaluate(const CNode& node)
{
  switch (node.kind) {
  case CKind::number:
    return CValue{literal(node), {}, {}, {}};
  case CKind::name:
    return name(node);
  case CKind::cast:
    return cast(node);
  case CKind::unary:
    return unary(node);
  case CKind::binary:
    return binary(node);
  case CKind::subscript:
    return subscript(node);
  case CKind::call:
    return call(node);
  case CKind::conditional: {
    HONE_TRY(const kernel::ExprPtr test, condition(*node.children[0]));
    HONE_TRY(const kernel::ExprPtr yes, number_where(test, true, *node.children[1]));
    HONE_TRY(const kernel::ExprPtr no, number_where(test, false, *node.children[2]));
    return CValue{choice(test, yes, no), {}, {}, {}};
  }
  default:
    return fail(fmt::format("an expression of this kind is not understood ({})", node.text),
                "rewrite it with arithmetic, comparisons, ?: and calls of mathematical functions", node.place);
  }
}

Result<kernel::ExprPtr> Interpreter::number_where(const kernel::ExprPtr& test, bool holds, const CNode& node)
{
  const Facts facts = m_facts;
  m_facts.assume(test, holds);
  auto out = number(node);
  m_facts = facts;
  return out;
}

// 0.1f is written as 0.1 where the kernel's arithmetic is in f32 anyway, and as what it is in double elsewhere.
kernel::ExprPtr Interpreter::literal(const CNode& node) const
{
  const bool single = !node.whole && node.type.data == kernel::DataType::f32 && m_known.narrow;
  return kernel::make_number(single ? std::stod(fmt::format("{}", static_cast<float>(node.number))) : node.number,
                             node.whole);
}

Result<CValue> Interpreter::name(const CNode& node)
{
  if (m_not_understood.contains(node.declaration)) {
    return fail("");
  }
  const auto found = m_scalars.find(node.declaration);
  if (found == m_scalars.end()) {
    return fail(fmt::format("'{}' is a variable outside the function", node.text),
                "pass it as an argument, or make it a constant", node.place);
  }
  const CValue& value = found->second;
  if (value.number && is_mark(*value.number, "@undefined")) {
    return fail(fmt::format("'{}' is read before it has a value", node.text), {}, node.place);
  }
  const auto is_lost = [](const kernel::Expr& part) { return is_mark(part, "@lost"); };
  if (value.number && !surveying() && any_node(*value.number, is_lost)) {
    return fail(
      fmt::format("'{}' is read after a loop that assigns it, and only the last iteration's value is left", node.text),
      "use it inside the loop, or compute it again after it", node.place);
  }
  return value;
}

Result<CValue> Interpreter::cast(const CNode& node)
{
  HONE_TRY(CValue value, evaluate(*node.children[0]));
  const CType& to = node.type;
  const CType& from = node.children[0]->type;
  if (!value.number) {
    if (!to.extents.empty() && m_arrays.at(value.array).type.element != to.element) {
      return fail(fmt::format("'{}' is read as '{}', not as what it holds", value.array, to.spelling),
                  "declare the argument with the type of its elements", node.place);
    }
    return value;
  }
  const bool stays = to.kind == CType::Kind::integer && to.data && kernel::size_of(*to.data) <= 4;
  value.number = stays ? value.number : wrapped(value.number, from);
  if (to.kind == CType::Kind::boolean) {
    const bool constant = value.number->kind == kernel::ExprKind::number;
    value.number = constant ? kernel::make_number(value.number->number != 0 ? 1 : 0, true) : as_condition(value.number);
  } else if (is_floating(to) && is_integral(from)) {
    const kernel::ExprPtr integer = as_number(value.number);
    value.number = integer->kind == kernel::ExprKind::number
                     ? kernel::make_number(integer->number)
                     : make_cast(to.data.value_or(kernel::DataType::f64), integer);
  } else if (is_floating(to) && is_floating(from) && to.data && from.data
             && kernel::size_of(*to.data) < kernel::size_of(*from.data)) {
    // Rounding to float shows only where the value was computed in double.
    value.number =
      is_wide(*value.number) || *to.data == kernel::DataType::f16 ? make_cast(*to.data, value.number) : value.number;
  } else if (is_floating(to) && is_floating(from) && to.data && from.data
             && kernel::size_of(*to.data) > kernel::size_of(*from.data) && !surveying() && !m_known.narrow
             && value.number->kind != kernel::ExprKind::number) {
    value.number = make_cast(*to.data, value.number); // all arithmetic is in double: it shall stay so
  } else if (is_integral(to) && is_floating(from)) {
    value.number = make_cast(to.data.value_or(kernel::DataType::i64), value.number);
  } else if (is_integral(to) && is_integral(from)) {
    value.number = narrowed(as_number(value.number), to);
  }
  return value;
}

// An integer that is stored in fewer bits wraps. Sizes and indices are taken to fit in int.
kernel::ExprPtr Interpreter::narrowed(const kernel::ExprPtr& value, const CType& to)
{
  const auto is_data = [](const kernel::Expr& node) {
    return (node.kind == kernel::ExprKind::load || node.kind == kernel::ExprKind::cast) && !is_mark(node, "@");
  };
  if (!to.data || kernel::size_of(*to.data) >= 8) {
    return value;
  }
  // The type of anything else is a label: integers are computed in 64 bits.
  const bool plain = value->kind == kernel::ExprKind::load || value->kind == kernel::ExprKind::cast;
  const bool below_int = kernel::size_of(*to.data) < 4;
  const bool loses_sign = kernel::is_unsigned(*to.data) && !(plain && kernel::is_unsigned(value->type));
  const bool wider = plain && kernel::size_of(*to.data) > kernel::size_of(value->type);
  const bool keeps =
    value->kind == kernel::ExprKind::number || (plain && value->type == *to.data) || (wider && !loses_sign);
  if (keeps || !(below_int || any_node(*value, is_data))) {
    return value;
  }
  // A product of int values is an int already: only what comes from a wider tensor, loses its sign, or goes into fewer
  // bits than an int has, wraps.
  const auto is_wide = [](const kernel::Expr& node) {
    return node.kind == kernel::ExprKind::load && node.type == kernel::DataType::i64 && !is_mark(node, "@");
  };
  return below_int || loses_sign || any_node(*value, is_wide) ? make_cast(*to.data, value) : value;
}

// A value that C computes in unsigned int, where it matters that this wraps: sums and products of such values may wrap
// later, what is divided, compared or converted to another type may not.
kernel::ExprPtr Interpreter::wrapped(const kernel::ExprPtr& value, const CType& type)
{
  return type.data == kernel::DataType::u32 && !kernel::is_float(value->type) ? narrowed(value, type) : value;
}

// Whether a value is computed in double: the language joins types from loads, not from literals.
bool Interpreter::is_wide(const kernel::Expr& value) const
{
  return any_node(value, [](const kernel::Expr& node) {
    return (node.kind == kernel::ExprKind::load || node.kind == kernel::ExprKind::cast)
           && node.type == kernel::DataType::f64;
  });
}

Result<CValue> Interpreter::unary(const CNode& node)
{
  const CNode& operand = *node.children[0];
  if (node.text == "*") {
    HONE_TRY(const CValue pointer, evaluate(operand));
    return element(pointer, kernel::make_number(0, true), node.place, false);
  }
  if (node.text == "&") {
    return place_of(operand);
  }
  if (node.text == "!") {
    HONE_TRY(const kernel::ExprPtr test, condition(operand));
    return CValue{opposite(test), {}, {}, {}};
  }
  if ((node.text.ends_with("++") || node.text.ends_with("--")) && without_casts(operand).kind == CKind::name) {
    return stepped(node);
  }
  HONE_TRY(const kernel::ExprPtr value, number(operand));
  if (node.text == "+") {
    return CValue{value, {}, {}, {}};
  }
  if (node.text == "-") {
    const bool integer = !kernel::is_float(value->type);
    return CValue{integer ? normal(negated(value)) : negated(value), {}, {}, {}};
  }
  return fail(node.text.empty() ? std::string("an operator that comes out of a macro cannot be read here")
                                : fmt::format("the operator '{}' inside an expression is not understood",
                                              node.text.starts_with("post") ? node.text.substr(4) : node.text),
              "write it as a statement of its own, or without it", node.place);
}

// x++ and ++x inside an expression.
Result<CValue> Interpreter::stepped(const CNode& node)
{
  const CNode& variable = without_casts(*node.children[0]);
  HONE_TRY(const CValue before, name(variable));
  const CValue one{kernel::make_number(1, true), {}, {}, {}};
  HONE_CHECK(assign_scalar(variable, one, node.text.ends_with("++") ? "+" : "-", node.place));
  return node.text.starts_with("post") ? Result<CValue>(before) : name(variable);
}

Result<CValue> Interpreter::binary(const CNode& node)
{
  const std::string& op = node.text;
  const CNode& left = *node.children[0];
  const CNode& right = *node.children[1];
  if (op == "&&" || op == "||") {
    HONE_TRY(const kernel::ExprPtr a, condition(left));
    const Facts facts = m_facts; // the right side is looked at only where the left one does not decide
    m_facts.assume(a, op == "&&");
    const auto b = condition(right);
    m_facts = facts;
    if (!b) {
      return std::unexpected(b.error());
    }
    return CValue{compared(op, a, *b), {}, {}, {}};
  }
  HONE_TRY(const CValue a, evaluate(left));
  HONE_TRY(const CValue b, evaluate(right));
  if (!a.number || !b.number) {
    const bool pointer_first = !a.number;
    if (a.number || b.number) {
      return moved(pointer_first ? a : b, op, pointer_first ? b.number : a.number, node.place);
    }
    return fail(fmt::format("the pointers '{}' and '{}' are compared or subtracted", a.array, b.array),
                "a kernel's arguments are separate arrays: use an index", node.place);
  }
  if (op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=") {
    const kernel::ExprPtr x = wrapped(as_number(a.number), left.type);
    const kernel::ExprPtr y = wrapped(as_number(b.number), right.type);
    return CValue{compared(op, without_conversion(x, y), without_conversion(y, x)), {}, {}, {}};
  }
  const bool may_wrap_later = op == "+" || op == "-" || op == "*" || op == "<<";
  const auto operand = [&](const CValue& value, const CType& type) {
    return may_wrap_later ? as_number(value.number) : wrapped(as_number(value.number), type);
  };
  HONE_TRY(const kernel::ExprPtr out,
           computed(op, operand(a, left.type), operand(b, right.type), node.type, node.place));
  return CValue{out, {}, {}, {}};
}

Result<void> Interpreter::note_arithmetic(const CType& type, const Place& place)
{
  if (is_floating(type)) {
    if (!type.data) {
      return fail(fmt::format("'{}' has no counterpart in a kernel", type.spelling), "use double", place);
    }
    (*type.data == kernel::DataType::f64 ? m_semantics.wide : m_semantics.narrow) = true;
  }
  return {};
}

Result<kernel::ExprPtr> Interpreter::computed(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right,
                                              const CType& type, const Place& place)
{
  if (op.empty()) {
    return fail("an operator that comes out of a macro cannot be read here", "write this expression without the macro",
                place);
  }
  if (op == "<<" || op == ">>" || op == "&") {
    return shifted(op, left, right, place);
  }
  if (op != "+" && op != "-" && op != "*" && op != "/" && op != "%") {
    return fail(fmt::format("the operator '{}' inside an expression is not understood", op),
                "arithmetic, comparisons, && || ! and ?: are; an assignment is a statement of its own", place);
  }
  HONE_CHECK(note_arithmetic(type, place));
  if (is_floating(type)) {
    const kernel::ExprPtr a = without_conversion(left, right);
    const kernel::ExprPtr b = without_conversion(right, left);
    return arithmetic(op, a, b);
  }
  return arithmetic(op, std::move(left), std::move(right));
}

// Shifts by constants and masks of low bits are products, quotients and remainders of numbers that are not negative.
Result<kernel::ExprPtr> Interpreter::shifted(const std::string& op, const kernel::ExprPtr& left,
                                             const kernel::ExprPtr& right, const Place& place) const
{
  constexpr std::int64_t k_most_bits = 31;
  const auto by = kernel::is_float(right->type) ? std::nullopt : polynomial_of(*right).as_constant();
  const bool mask = op == "&" && by && *by > 0 && (*by & (*by + 1)) == 0;
  const bool shift = op != "&" && by && *by >= 0 && *by <= k_most_bits;
  const bool nonnegative = op == "<<" || m_facts.proves(polynomial_of(*left));
  if ((!mask && !shift) || !nonnegative) {
    return fail(fmt::format("the operator '{}' inside an expression is not understood", op),
                "shifts by constants and masks such as i & 7 are, of sizes and indices", place);
  }
  const kernel::ExprPtr factor =
    kernel::make_number(mask ? static_cast<double>(*by + 1) : static_cast<double>(std::int64_t{1} << *by), true);
  return op == "<<"  ? arithmetic("*", left, factor)
         : op == "&" ? kernel::make_binary("%", left, factor)
                     : quotient(polynomial_of(*left), polynomial_of(*factor));
}

Result<CValue> Interpreter::moved(CValue pointer, const std::string& op, const kernel::ExprPtr& by,
                                  const Place& place) const
{
  if (op != "+" && op != "-") {
    return fail(fmt::format("the operator '{}' on the pointer '{}' is not understood", op, pointer.array), {}, place);
  }
  pointer.offset = arithmetic(op, pointer.offset, by);
  return pointer;
}

Result<CValue> Interpreter::subscript(const CNode& node)
{
  HONE_TRY(const CValue base, evaluate(*node.children[0]));
  HONE_TRY(const kernel::ExprPtr index, number(*node.children[1]));
  return element(base, index, node.place, false);
}

Result<CValue> Interpreter::place_of(const CNode& node)
{
  if (node.kind == CKind::cast) {
    return place_of(*node.children[0]);
  }
  if (node.kind == CKind::unary && node.text == "*") {
    HONE_TRY(const CValue pointer, evaluate(*node.children[0]));
    return element(pointer, kernel::make_number(0, true), node.place, true);
  }
  if (node.kind != CKind::subscript) {
    return fail("the address of this expression is taken, or something is assigned to it, and it is no array element",
                "arrays are written as A[i] or A[i][j]", node.place);
  }
  HONE_TRY(const CValue base, evaluate(*node.children[0]));
  HONE_TRY(const kernel::ExprPtr index, number(*node.children[1]));
  return element(base, index, node.place, true);
}

// One subscript more. With all of them a value is read, unless the place itself is asked for.
Result<CValue> Interpreter::element(CValue pointer, const kernel::ExprPtr& index, const Place& place, bool as_place)
{
  if (pointer.number) {
    return fail("what is subscripted here is no array of the function", {}, place);
  }
  const ForeignArray& array = m_arrays.at(pointer.array);
  const kernel::ExprPtr subscript = arithmetic("+", pointer.offset, index);
  if (pointer.subscripts.size() + 1 < array.declared.size() || as_place) {
    const bool last = pointer.subscripts.size() + 1 == array.declared.size();
    if (as_place && last) {
      pointer.offset = subscript;
      return pointer;
    }
    pointer.subscripts.push_back(subscript);
    pointer.offset = kernel::make_number(0, true);
    return pointer;
  }
  pointer.subscripts.push_back(subscript);
  if (surveying()) {
    m_survey->accesses.push_back({array.name, pointer.subscripts, m_facts, false, place});
    return CValue{make_load(array.name, pointer.subscripts, *array.type.data), {}, {}, {}};
  }
  HONE_TRY(const kernel::ExprPtr value,
           read(m_frames.size() - 1, array.name, shaped(array, pointer.subscripts), place));
  if (is_mark(*value, "@undefined")) {
    return fail(fmt::format("elements of '{}' are read before they are written", written_name(array.name)), {}, place);
  }
  return CValue{value, {}, {}, {}};
}

} // namespace hone::import
