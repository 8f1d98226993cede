// A loop program for devices whose groups have work-items: loops with axes, memory with scopes, barriers, and typed
// loads and stores. What builds it knows no language; what prints it knows no kernel. (internal to the room)
#pragma once

#include "lower/device/value.h"

#include <array>
#include <string>
#include <vector>

namespace hone::lower::device {

struct Node;
using Block = std::vector<Node>;

enum class Axis {
  serial,   // one iteration after the other
  unrolled, // the same, printed so that a compiler unrolls it: what is indexed with it stays in registers
};

struct Node {
  enum class Kind {
    comment, // text
    define,  // a variable: text, type, values[0]; `constant`
    array,   // in registers: text, type, and its extents in values
    assign,  // values[0] = values[1]: a variable, or an entry of an array in registers
    store,   // text: an array; scope, stored; values: position, value. A vector goes to neighbours.
    repeat,  // while values[0]: body
    loop,    // over text from values[0] to values[1] in steps of values[2]; axis; body
    guard,   // if values[0]: body, else otherwise
    call,    // text: a function of the dialect's prelude; values: its arguments
    barrier, // of the group: what its items stored in local memory before, all of them see behind
    leave,   // the item is done
  };
  Kind kind = Kind::comment;
  std::string text;
  Type type;
  std::vector<Value> values;
  Scope scope = Scope::global;
  kernel::DataType stored = kernel::DataType::f32;
  Axis axis = Axis::serial;
  std::string unroll; // of a loop: how many iterations a compiler is to print as one; "": it decides
  bool constant = true;
  bool copies = false; // a store of a loaded element, bit by bit
  Block body, otherwise;
};

Node comment(std::string text);
Node define(std::string name, Value value, bool constant = true); // of the value's type
Node array(std::string name, Type type, std::vector<Value> extents);
Node assign(Value place, Value value);
Node store(std::string array, Scope scope, kernel::DataType stored, Value position, Value value);
// The bits of an element as they are, whatever type it has.
Node as_stored(std::string array, kernel::DataType stored, Value position, Value value);
Node loop(std::string name, Value begin, Value end, Value step, Axis axis, Block body);
Node repeat_while(Value condition, Block body);
Node guard(Value condition, Block body, Block otherwise = {});
Node call(std::string function, std::vector<Value> arguments);
Node barrier();
Node leave();
void append(Block& block, Block more);

// An array in the group's memory, which all of its items see.
struct LocalArray {
  std::string name;
  kernel::DataType type = kernel::DataType::f32;
  std::string elements; // a product of numbers and tuning parameters
};

struct Parameter {
  std::string name;
  bool tensor = false;
  bool map = false;                              // of a tensor
  kernel::DataType type = kernel::DataType::f32; // of a tensor's elements
  bool written = false;
};

// A function that is launched.
struct Function {
  std::string name;
  std::string purpose; // a sentence
  std::vector<Parameter> parameters;
  std::array<std::string, 3> items{"1", "1", "1"}; // of a group, along each axis: numbers or tuning parameters
  std::vector<LocalArray> locals;
  std::vector<std::string> maps; // tensor maps, behind the tensors
  bool sized_at_launch = false;  // locals lie one after the other in memory that the launch asks for
  Block body;
};

// Whether any value in the block names a variable, an array or a tensor.
bool mentions(const Block& block, const std::string& name);

} // namespace hone::lower::device
