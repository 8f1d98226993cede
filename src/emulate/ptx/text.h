// A PTX module as it is written: declarations and statements, nothing resolved. (internal to the room)
#pragma once

#include "util/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::emulate::ptx {

struct Operand {
  enum class Kind {
    name,    // text: a register, a special register, a symbol or a label
    integer, // bits
    single,  // bits of an f32: 0f3F800000
    real,    // bits of an f64: 0d... or a decimal fraction
    address, // [text + offset], or [bits]; further coordinates of a tensor copy in items
    list,    // {a, b, c}, or (a, b): items
    sink,    // _
  };
  Kind kind = Kind::name;
  std::string text;
  std::uint64_t bits = 0;
  std::int64_t offset = 0; // of an address, bytes
  bool negated = false;    // !%p
  std::string second;      // %p|%q: the second destination
  std::vector<Operand> items;
};

struct Place {
  int file = 0, line = 0; // of the source, from .loc; 0: none
  int ptx_line = 0;       // in the PTX text, from 1
};

struct Statement {
  std::string label; // "$L__BB0_2:"; else an instruction
  std::string guard; // @%p
  bool guard_negated = false;
  std::vector<std::string> opcode; // "ld", "global", "f32"
  std::vector<Operand> operands;
  Place place;
};

enum class Space { reg, param, shared, local, global, constant };

struct Variable {
  Space space = Space::global;
  std::string name;
  std::string type;        // "b32", "pred"
  int count = 0;           // of registers: %r<count>
  std::uint64_t bytes = 0; // of memory
  std::uint64_t alignment = 1;
  bool external = false;             // .extern .shared: the size is the launch's
  std::vector<std::uint8_t> content; // of a variable with a value
};

struct Function {
  std::string name;
  bool entry = false;
  std::vector<Variable> parameters, results;
  std::vector<Variable> variables; // registers, shared and local memory
  std::vector<Statement> body;
  int most_items = 0;              // .maxntid, product; 0: not said
  std::vector<int> required_items; // .reqntid
  std::vector<int> cluster;        // .reqnctapercluster
};

struct Module {
  std::string version, target;
  std::vector<std::string> files; // by the number that .file gives; "" where none has it
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

// The error names the line of PTX.
Result<Module> parse(std::string_view text);

// Bytes of a fundamental type: "f32", "b8", "u64". 0: unknown.
int bytes_of_type(std::string_view type);

} // namespace hone::emulate::ptx
