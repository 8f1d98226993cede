// Values of a loop program for devices with work-items: typed expressions that a dialect spells later.
// (internal to the room)
#pragma once

#include "kernel/data_type.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hone::lower::device {

// An element, or as many of them side by side as `lanes` says: a number, or a tuning parameter. "": one.
struct Type {
  kernel::DataType element = kernel::DataType::f32;
  std::string lanes;

  bool operator==(const Type&) const = default;
};

inline Type scalar(kernel::DataType element)
{
  return {element, ""};
}
inline const Type k_int = scalar(kernel::DataType::i32);      // counters, and places inside a tile
inline const Type k_position = scalar(kernel::DataType::i64); // places in a tensor
inline const Type k_condition = scalar(kernel::DataType::boolean);

// Where an array lives: in one item, in its group, in the device's memory.
enum class Scope { registers, local, global };

enum class ValueKind {
  number,   // number
  name,     // text: a variable, a size, a tuning parameter, or an array in registers with its subscripts in args
  group_id, // axis
  item_id,  // axis, inside the group
  groups,   // how many there are along an axis
  flat_id,  // of all items, along x
  unary,    // text: "-" or "!"
  binary,   // text: + - * / % == != < <= > >= && ||
  call,     // text: a function of the kernel language, such as "exp" or "max"
  select,   // args: condition (in as many lanes as it has, whole numbers: all bits or none), then, else
  cast,     // args: one value, converted to `type`
  load,     // text: an array; args: position; `stored`: its elements' type, converted to `type` on the way
  gather,   // the same in several lanes, args: the first one's position, the distance of two neighbours
  address,  // text: an array; args: position
  lane,     // args: a vector, the number of a lane
};

struct ValueNode;
using Value = std::shared_ptr<const ValueNode>;

struct ValueNode {
  ValueKind kind = ValueKind::number;
  Type type;
  std::string text;
  double number = 0;
  int axis = 0;
  Scope scope = Scope::global;                     // of what is loaded
  kernel::DataType stored = kernel::DataType::f32; // of what is loaded
  std::vector<Value> args;
};

Value number(double value, Type type);
Value integer(std::int64_t value);
Value name(std::string text, Type type = k_int);
Value parameter(const std::string& text);                                 // "1", or the name of a tuning parameter
Value entry(std::string array, std::vector<Value> subscripts, Type type); // of an array in registers
Value group_id(int axis);
Value item_id(int axis);
Value group_count(int axis);
Value flat_id();
Value negative(Value value);
Value call(std::string function, std::vector<Value> arguments, Type type);
Value select(Value condition, Value yes, Value no);
Value cast(Value value, Type type);
// A vector takes neighbours from `position` on.
Value load(std::string array, Scope scope, kernel::DataType stored, Value position, Type type);
Value gather(std::string array, kernel::DataType stored, Value position, Value distance, Type type);
Value address(std::string array, Value position);
Value lane(Value vector, Value which);

// Integers are folded, and so are x + 0, x * 1 and 0 * x. The type is that of the wider operand.
Value binary(const std::string& op, Value left, Value right);
Value operator+(const Value& left, const Value& right);
Value operator-(const Value& left, const Value& right);
Value operator*(const Value& left, const Value& right);
Value operator/(const Value& left, const Value& right);
Value operator%(const Value& left, const Value& right);
Value below(const Value& left, const Value& right); // <
Value opposite(const Value& condition);
Value both(const Value& left, const Value& right);    // &&
Value smaller(const Value& left, const Value& right); // of two integers
Type with_lanes(Type type, const std::string& lanes);
// In all lanes, where it is a number for one.
Value spread(Value value, const std::string& lanes);

bool is_number(const Value& value, double number);

} // namespace hone::lower::device
