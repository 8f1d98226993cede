#include "lower/device/expression.h"

#include "lower/expression_text.h"
#include "lower/linear_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace hone::lower::device {

namespace {

bool is_whole(const kernel::Expr& expression)
{
  return !kernel::is_float(expression.type);
}

Value cast_to_position(Value value)
{
  return cast(std::move(value), k_position);
}

} // namespace

// What a reduction begins with.
Value ExpressionValues::start_of(kernel::ReduceOp op, const Type& type)
{
  const bool integer = !kernel::is_float(type.element);
  const double infinity =
    integer ? static_cast<double>(std::numeric_limits<std::int32_t>::max()) : std::numeric_limits<double>::infinity();
  switch (op) {
  case kernel::ReduceOp::sum:
    return number(0, type);
  case kernel::ReduceOp::prod:
    return number(1, type);
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::argmax:
    return number(-infinity, type);
  default:
    return number(infinity, type);
  }
}

Node ExpressionValues::take_in(kernel::ReduceOp op, const Value& place, const Value& value)
{
  switch (op) {
  case kernel::ReduceOp::sum:
    return assign(place, place + value);
  case kernel::ReduceOp::prod:
    return assign(place, place * value);
  default:
    return assign(
      place, call(op == kernel::ReduceOp::max ? "max" : "min", {place, spread(value, place->type.lanes)}, place->type));
  }
}

Result<std::pair<Value, Value>> ExpressionValues::bounds(const kernel::IndexRange& range, Block& before)
{
  Value lower = cast_to_position(integer(0));
  if (range.lower) {
    HONE_TRY(Value given, whole(*range.lower, before));
    lower = cast_to_position(std::move(given));
  }
  HONE_TRY(Value upper, whole(*range.upper, before));
  return std::pair(lower, cast_to_position(std::move(upper)));
}

Result<Value> ExpressionValues::value(const kernel::Expr& expression, Block& before)
{
  return operand(expression, false, before);
}

Result<Value> ExpressionValues::whole(const kernel::Expr& expression, Block& before)
{
  return write(expression, before);
}

Result<Value> ExpressionValues::operand(const kernel::Expr& expression, bool integer, Block& before)
{
  if (!integer && expression.kind == kernel::ExprKind::number) {
    return number(expression.number, number_type());
  }
  HONE_TRY(Value value, write(expression, before));
  if (expression.type == kernel::DataType::boolean) {
    return value;
  }
  const Type wanted = with_lanes(integer ? k_position : number_type(), value->type.lanes);
  return cast(std::move(value), wanted);
}

Result<Value> ExpressionValues::position(const std::string& tensor, const std::vector<Value>& subscripts)
{
  const std::vector<kernel::ExprPtr> shape = kernel::shape_of_tensor(m_kernel, tensor);
  if (shape.size() != subscripts.size()) {
    return fail(
      fmt::format("{} has {} dimensions and is used with {} subscripts", tensor, shape.size(), subscripts.size()));
  }
  Value sum = integer(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    if (d > 0) {
      Block none;
      HONE_TRY(const Value extent, whole(*shape[d], none));
      sum = cast_to_position(sum) * extent;
    }
    sum = sum + subscripts[d];
  }
  return sum;
}

Result<Node> ExpressionValues::store(const std::string& target, kernel::DataType type, Value position,
                                     const kernel::Expr& value, Block& before)
{
  HONE_TRY(Value what, operand(value, !kernel::is_float(type), before));
  const bool narrow = type == kernel::DataType::f16 || type == kernel::DataType::bf16;
  if (!what->type.lanes.empty() && what->type.element != (narrow ? kernel::DataType::f32 : type)) {
    return fail(fmt::format("{} has no vector stores here", kernel::name_of(type)));
  }
  const Type wanted = with_lanes(scalar(type), what->type.lanes);
  return device::store(target, Scope::global, type, std::move(position),
                       narrow ? std::move(what) : cast(std::move(what), wanted));
}

bool ExpressionValues::varies(const kernel::Expr& expression) const
{
  return !lanes.empty() && kernel::names_anywhere(expression, vector_index);
}

// Neighbours in memory in one load, others one by one.
Result<Value> ExpressionValues::vector_load(const kernel::Expr& expression, kernel::DataType stored, Block& before)
{
  const std::vector<kernel::ExprPtr> shape = kernel::shape_of_tensor(m_kernel, expression.name);
  if (!kernel::is_float(stored)) {
    return fail(fmt::format("{} holds {}, which has no vector loads here", expression.name, kernel::name_of(stored)));
  }
  Value stride = integer(0);
  std::vector<Value> subscripts;
  for (std::size_t d = 0; d < expression.args.size(); ++d) {
    const kernel::ExprPtr& subscript = expression.args[d];
    const std::string all_lanes = std::exchange(lanes, ""); // the place of the first one
    Result<Value> one = whole(*subscript, before);
    lanes = all_lanes;
    if (!one) {
      return one;
    }
    subscripts.push_back(std::move(*one));
    if (!varies(*subscript)) {
      continue;
    }
    const auto factor = linear_form(subscript).factor_of(vector_index);
    if (!factor) {
      return fail(fmt::format("the places in {} that neighbours read have no fixed distance", expression.name));
    }
    Value distance = device::integer(*factor);
    for (std::size_t below = d + 1; below < shape.size(); ++below) {
      Block none;
      HONE_TRY(const Value extent, whole(*shape[below], none));
      distance = cast_to_position(distance) * extent;
    }
    stride = stride + distance;
  }
  HONE_TRY(const Value at, position(expression.name, subscripts));
  const bool narrow = kernel::size_of(stored) < 4;
  if (narrow && !is_number(stride, 1)) {
    return fail(fmt::format("neighbours of {} lie apart in memory: {} has no vector form there", expression.name,
                            kernel::name_of(stored)));
  }
  const Type type = with_lanes(narrow ? number_type() : scalar(stored), lanes);
  return is_number(stride, 1) ? load(expression.name, Scope::global, stored, at, type)
                              : gather(expression.name, stored, at, stride, type);
}

Result<Value> ExpressionValues::write_load(const kernel::Expr& expression, Block& before)
{
  const kernel::Argument* argument_of = m_kernel.find_argument(expression.name);
  const kernel::DataType stored = argument_of != nullptr ? argument_of->type : expression.type;
  if (varies(expression)) {
    return vector_load(expression, stored, before);
  }
  std::vector<Value> subscripts;
  for (const kernel::ExprPtr& argument : expression.args) {
    HONE_TRY(Value one, whole(*argument, before));
    subscripts.push_back(std::move(one));
  }
  HONE_TRY(const Value at, position(expression.name, subscripts));
  if (stored == kernel::DataType::boolean) {
    return binary("!=", load(expression.name, Scope::global, stored, at, k_int), integer(0));
  }
  return load(expression.name, Scope::global, stored, at, kernel::is_float(stored) ? number_type() : scalar(stored));
}

// What the right side needs before it (the loop of a sum) runs only where it counts.
Result<Value> ExpressionValues::write_logical(const kernel::Expr& expression, Block& before)
{
  HONE_TRY(Value left, write(*expression.args[0], before));
  Block inner;
  m_known.emplace_back();
  HONE_TRY(Value right, write(*expression.args[1], inner));
  m_known.pop_back();
  if (inner.empty()) {
    return binary(expression.name, std::move(left), std::move(right));
  }
  const Value holds = name(fresh("holds"), k_condition);
  before.push_back(define(holds->text, std::move(left), false));
  inner.push_back(assign(holds, std::move(right)));
  const Value open = expression.name == "&&" ? holds : opposite(holds);
  before.push_back(guard(open, std::move(inner)));
  return holds;
}

Result<Value> ExpressionValues::write_binary(const kernel::Expr& expression, Block& before)
{
  if (expression.name == "&&" || expression.name == "||") {
    return write_logical(expression, before);
  }
  // Comparisons of integers stay integer: a float cannot tell large indices apart.
  const bool integer = is_whole(*expression.args[0]) && is_whole(*expression.args[1]) && is_whole(expression);
  HONE_TRY(Value left, operand(*expression.args[0], integer, before));
  HONE_TRY(Value right, operand(*expression.args[1], integer, before));
  if (!(left->type.lanes.empty() && right->type.lanes.empty()) && expression.type == kernel::DataType::boolean) {
    return fail("a condition that differs from column to column has no vector form");
  }
  return binary(expression.name, std::move(left), std::move(right));
}

Result<Value> ExpressionValues::write_call(const kernel::Expr& expression, Block& before)
{
  const bool integer = is_whole(expression);
  std::vector<Value> arguments;
  for (const kernel::ExprPtr& argument : expression.args) {
    HONE_TRY(Value one, operand(*argument, integer, before));
    arguments.push_back(std::move(one));
  }
  const std::string& function = expression.name;
  for (const Value& argument : std::vector<Value>(arguments)) { // all in as many lanes as one of them
    for (Value& other : arguments) {
      other = spread(other, argument->type.lanes);
    }
  }
  const Type type = arguments.front()->type;
  if (function == "max" || function == "min") {
    Value out = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      out = call(function, {out, arguments[i]}, type);
    }
    return out;
  }
  if (function == "rsqrt") {
    return number(1, scalar(type.element)) / call("sqrt", std::move(arguments), type);
  }
  if (function == "sign") {
    if (!type.lanes.empty()) {
      return fail("sign has no vector form here");
    }
    const Value zero = number(0, type), one = number(1, type);
    return select(binary(">", arguments[0], zero), one,
                  select(binary("<", arguments[0], zero), number(-1, type), arguments[0] * zero));
  }
  return call(function, std::move(arguments), type);
}

// A branch that needs loops before it becomes an if: they must not run, and read, where it is not taken.
Result<Value> ExpressionValues::write_select(const kernel::Expr& expression, Block& before)
{
  HONE_TRY(const Value condition, write(*expression.args[0], before));
  std::array<Block, 2> blocks;
  std::array<Value, 2> values;
  for (std::size_t branch = 0; branch < 2; ++branch) {
    m_known.emplace_back();
    HONE_TRY(values[branch], operand(*expression.args[branch + 1], is_whole(expression), blocks[branch]));
    m_known.pop_back();
  }
  values = {spread(values[0], values[1]->type.lanes), spread(values[1], values[0]->type.lanes)};
  if (blocks[0].empty() && blocks[1].empty()) {
    return select(condition, values[0], values[1]);
  }
  const Value chosen = name(fresh("chosen"), values[0]->type);
  before.push_back(define(chosen->text, number(0, chosen->type), false));
  for (std::size_t branch = 0; branch < 2; ++branch) {
    blocks[branch].push_back(assign(chosen, values[branch]));
  }
  before.push_back(guard(condition, std::move(blocks[0]), std::move(blocks[1])));
  return chosen;
}

Result<Value> ExpressionValues::write_cast(const kernel::Expr& expression, Block& before)
{
  if (is_whole(expression)) {
    HONE_TRY(Value from, write(*expression.args[0], before));
    if (!from->type.lanes.empty()) {
      return fail("a conversion to whole numbers has no vector form here");
    }
    // By way of 64 bits, where integers wrap: from a float straight to a narrow type is undefined out of range.
    return cast(cast_to_position(std::move(from)), scalar(expression.type));
  }
  HONE_TRY(Value from, operand(*expression.args[0], false, before));
  if (!from->type.lanes.empty()) {
    return expression.type == m_compute ? Result<Value>(from) : fail("a conversion has no vector form here");
  }
  const bool narrow = expression.type == kernel::DataType::f16 || expression.type == kernel::DataType::bf16;
  if (narrow) {
    return call(expression.type == kernel::DataType::f16 ? "rounded to f16" : "rounded to bf16", {std::move(from)},
                number_type());
  }
  return expression.type == kernel::DataType::f32 && m_compute == kernel::DataType::f64
           ? cast(cast(std::move(from), scalar(kernel::DataType::f32)), number_type())
           : from;
}

Result<Value> ExpressionValues::write_reduction(const kernel::Expr& expression, Block& before)
{
  if (varies(expression)) {
    return fail("a sum inside of a value that is computed in vectors has no vector form here");
  }
  for (const auto& scope : m_known) {
    if (const auto found = scope.find(&expression); found != scope.end()) {
      return found->second;
    }
  }
  const std::string called = fresh(name_of_result(expression.op));
  const kernel::Expr& reduced = *expression.args[0];
  const bool place = kernel::is_position(expression.op);
  const bool integer = is_whole(place ? reduced : expression);
  const Type type = integer ? k_position : number_type();
  const Value result = name(called, type), found_at = name(called + "_at", k_position);

  m_known.emplace_back();
  Block inner;
  HONE_TRY(Value body, operand(reduced, integer, inner));
  if (!place) {
    inner.push_back(take_in(expression.op, result, body));
  } else {
    const Value value = name(fresh("value"), type);
    const bool larger = expression.op == kernel::ReduceOp::argmax;
    inner.push_back(define(value->text, body));
    inner.push_back(guard(binary("||", binary(larger ? ">" : "<", value, result),
                                 both(below(found_at, device::integer(0)), binary("==", value, result))),
                          {assign(result, value), assign(found_at, indices.at(expression.ranges.front().name))}));
  }
  m_known.pop_back();
  if (expression.args.size() > 1 && expression.args[1]) {
    m_known.emplace_back();
    Block condition_before;
    HONE_TRY(Value condition, write(*expression.args[1], condition_before));
    m_known.pop_back();
    condition_before.push_back(guard(std::move(condition), std::move(inner)));
    inner = std::move(condition_before);
  }
  for (auto range = expression.ranges.rbegin(); range != expression.ranges.rend(); ++range) {
    HONE_TRY(const auto ends, bounds(*range, before));
    inner = {
      loop(indices.at(range->name)->text, ends.first, ends.second, device::integer(1), Axis::serial, std::move(inner))};
  }
  before.push_back(define(called, start_of(expression.op, type), false));
  if (place) {
    before.push_back(define(found_at->text, cast_to_position(device::integer(-1)), false));
  }
  append(before, std::move(inner));
  return m_known.back()[&expression] = place ? found_at : result;
}

std::string ExpressionValues::fresh(const std::string& name)
{
  const int number = ++m_names[name];
  std::string out = number == 1 ? name : fmt::format("{}_{}", name, number);
  const auto taken = [&](const std::string& wanted) {
    return std::ranges::count(m_kernel.symbols, wanted) > 0 || m_kernel.find_argument(wanted) != nullptr
           || std::ranges::count(m_kernel.program.statements, wanted, &kernel::Statement::target) > 0
           || std::ranges::any_of(indices, [&](const auto& entry) { return entry.second->text == wanted; });
  };
  while (taken(out)) {
    out += "_";
  }
  return out;
}

Result<Value> ExpressionValues::write(const kernel::Expr& expression, Block& before)
{
  if (!known.empty()) {
    if (const auto found = known.find(kernel::to_text(expression)); found != known.end()) {
      return found->second;
    }
  }
  switch (expression.kind) {
  case kernel::ExprKind::number:
    return number(expression.number, expression.integer_literal ? k_int : number_type());
  case kernel::ExprKind::index: {
    if (varies(expression)) {
      return fail(fmt::format("{} is used as a number, which has no vector form here", expression.name));
    }
    const auto found = indices.find(expression.name);
    return found == indices.end() ? name(expression.name, k_position) : found->second;
  }
  case kernel::ExprKind::extent:
    return name(expression.name, k_position);
  case kernel::ExprKind::load:
    return write_load(expression, before);
  case kernel::ExprKind::unary: {
    HONE_TRY(Value of, write(*expression.args[0], before));
    if (expression.name == "-") {
      return negative(std::move(of));
    }
    return binary("==", cast(std::move(of), k_int), integer(0));
  }
  case kernel::ExprKind::binary:
    return write_binary(expression, before);
  case kernel::ExprKind::call:
    return write_call(expression, before);
  case kernel::ExprKind::select:
    return write_select(expression, before);
  case kernel::ExprKind::cast:
    return write_cast(expression, before);
  case kernel::ExprKind::reduce:
    return write_reduction(expression, before);
  case kernel::ExprKind::hole:
    break;
  }
  return fail("an expression of an unknown kind");
}

} // namespace hone::lower::device
