#include "lower/device/value.h"

#include <cmath>
#include <optional>

namespace hone::lower::device {

namespace {

Value node(ValueNode value)
{
  return std::make_shared<const ValueNode>(std::move(value));
}

bool is_integer(const Value& value)
{
  return value->kind == ValueKind::number && !kernel::is_float(value->type.element);
}

std::optional<double> folded(const std::string& op, double left, double right)
{
  if (op == "+") {
    return left + right;
  }
  if (op == "-") {
    return left - right;
  }
  if (op == "*") {
    return left * right;
  }
  if (op == "/" && right > 0 && left >= 0) {
    return std::floor(left / right);
  }
  return op == "%" && right > 0 && left >= 0 ? std::optional(std::fmod(left, right)) : std::nullopt;
}

bool compares(const std::string& op)
{
  return op == "==" || op == "!=" || op == "&&" || op == "||" || op[0] == '<' || op[0] == '>';
}

Type joined_type(const std::string& op, const Type& left, const Type& right)
{
  if (compares(op)) {
    return k_condition;
  }
  const bool wider = kernel::is_float(right.element) != kernel::is_float(left.element)
                       ? kernel::is_float(right.element)
                       : kernel::size_of(right.element) > kernel::size_of(left.element);
  return {wider ? right.element : left.element, left.lanes.empty() ? right.lanes : left.lanes};
}

} // namespace

Value number(double value, Type type)
{
  return node({.kind = ValueKind::number, .type = std::move(type), .text = {}, .number = value, .args = {}});
}

Value integer(std::int64_t value)
{
  return number(static_cast<double>(value), k_int);
}

Value name(std::string text, Type type)
{
  return node({.kind = ValueKind::name, .type = std::move(type), .text = std::move(text), .args = {}});
}

Value parameter(const std::string& text)
{
  return text == "1" ? integer(1) : name(text);
}

Value entry(std::string array, std::vector<Value> subscripts, Type type)
{
  return node(
    {.kind = ValueKind::name, .type = std::move(type), .text = std::move(array), .args = std::move(subscripts)});
}

Value group_id(int axis)
{
  return node({.kind = ValueKind::group_id, .type = k_int, .text = {}, .axis = axis, .args = {}});
}

Value group_count(int axis)
{
  return node({.kind = ValueKind::groups, .type = k_int, .text = {}, .axis = axis, .args = {}});
}

Value flat_id()
{
  return node({.kind = ValueKind::flat_id, .type = k_position, .text = {}, .args = {}});
}

Value item_id(int axis)
{
  return node({.kind = ValueKind::item_id, .type = k_int, .text = {}, .axis = axis, .args = {}});
}

Value negative(Value value)
{
  Type type = value->type;
  return node({.kind = ValueKind::unary, .type = std::move(type), .text = "-", .args = {std::move(value)}});
}

Value call(std::string function, std::vector<Value> arguments, Type type)
{
  return node(
    {.kind = ValueKind::call, .type = std::move(type), .text = std::move(function), .args = std::move(arguments)});
}

Value select(Value condition, Value yes, Value no)
{
  Type type = yes->type;
  return node({.kind = ValueKind::select,
               .type = std::move(type),
               .text = {},
               .args = {std::move(condition), std::move(yes), std::move(no)}});
}

Value cast(Value value, Type type)
{
  if (value->type == type) {
    return value;
  }
  if (is_integer(value) && !kernel::is_float(type.element) && type.element != kernel::DataType::boolean
      && type.lanes.empty()) {
    return number(value->number, std::move(type)); // counters and places print alike
  }
  return node({.kind = ValueKind::cast, .type = std::move(type), .text = {}, .args = {std::move(value)}});
}

Value load(std::string array, Scope scope, kernel::DataType stored, Value position, Type type)
{
  return node({.kind = ValueKind::load,
               .type = std::move(type),
               .text = std::move(array),
               .scope = scope,
               .stored = stored,
               .args = {std::move(position)}});
}

Value gather(std::string array, kernel::DataType stored, Value position, Value distance, Type type)
{
  return node({.kind = ValueKind::gather,
               .type = std::move(type),
               .text = std::move(array),
               .stored = stored,
               .args = {std::move(position), std::move(distance)}});
}

Value address(std::string array, Value position)
{
  return node(
    {.kind = ValueKind::address, .type = k_position, .text = std::move(array), .args = {std::move(position)}});
}

Value lane(Value vector, Value which)
{
  if (vector->type.lanes.empty()) {
    return vector;
  }
  return node({.kind = ValueKind::lane,
               .type = scalar(vector->type.element),
               .text = {},
               .args = {std::move(vector), std::move(which)}});
}

bool is_number(const Value& value, double number)
{
  return value->kind == ValueKind::number && value->number == number;
}

Value binary(const std::string& op, Value left, Value right)
{
  Type type = joined_type(op, left->type, right->type);
  if (is_integer(left) && is_integer(right)) {
    if (const auto result = folded(op, left->number, right->number)) {
      return number(*result, std::move(type));
    }
  }
  const bool sum = op == "+" || op == "-";
  if (is_integer(right) && ((sum && right->number == 0) || ((op == "*" || op == "/") && right->number == 1))) {
    return left;
  }
  if (is_integer(left) && ((op == "+" && left->number == 0) || (op == "*" && left->number == 1))) {
    return right;
  }
  if (op == "*" && ((is_integer(left) && left->number == 0) || (is_integer(right) && right->number == 0))) {
    return number(0, std::move(type));
  }
  return node(
    {.kind = ValueKind::binary, .type = std::move(type), .text = op, .args = {std::move(left), std::move(right)}});
}

Value operator+(const Value& left, const Value& right)
{
  return binary("+", left, right);
}

Value operator-(const Value& left, const Value& right)
{
  return binary("-", left, right);
}

Value operator*(const Value& left, const Value& right)
{
  return binary("*", left, right);
}

Value operator/(const Value& left, const Value& right)
{
  return binary("/", left, right);
}

Value operator%(const Value& left, const Value& right)
{
  return binary("%", left, right);
}

Value below(const Value& left, const Value& right)
{
  return binary("<", left, right);
}

Value opposite(const Value& condition)
{
  return node({.kind = ValueKind::unary, .type = k_condition, .text = "!", .args = {condition}});
}

Value both(const Value& left, const Value& right)
{
  return binary("&&", left, right);
}

Value smaller(const Value& left, const Value& right)
{
  const Type type = (left + right)->type;
  return call("min", {cast(left, type), cast(right, type)}, type);
}

Type with_lanes(Type type, const std::string& lanes)
{
  type.lanes = lanes;
  return type;
}

Value spread(Value value, const std::string& lanes)
{
  return lanes.empty() || !value->type.lanes.empty() ? value : cast(value, with_lanes(value->type, lanes));
}

} // namespace hone::lower::device
