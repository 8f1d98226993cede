// A C or C++ function as a tree that owns everything: what the front end read, without the front end. (internal)
#pragma once

#include "kernel/data_type.h"
#include "util/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::import {

struct CNode;
using CNodePtr = std::shared_ptr<CNode>;

struct CType {
  enum class Kind { nothing, boolean, integer, floating, other };
  Kind kind = Kind::other;              // of the element, where there are dimensions
  std::optional<kernel::DataType> data; // the element as Hone's tensors hold it, where they do
  std::vector<std::int64_t> extents;    // of a pointer or an array, outermost first; -1: not a constant
  bool pointer = false;                 // the outermost dimension is a pointer, or decays to one
  bool constant = false;                // elements are const
  bool restricted = false;              // a pointer declared restrict
  bool is_unsigned = false;             // of integers
  std::string element;                  // spelling of the element's type, without const
  std::string spelling;
};

enum class CKind {
  // statements
  block,       // children: statements
  declaration, // children: variables
  variable,    // text: name; children: initial value (may be missing); dimensions in `extents`
  if_,         // children: condition, then, else (may be missing)
  for_,        // children: initialisation, condition, step, body
  while_,
  do_,
  return_, // children: value (may be missing)
  continue_,
  break_,
  empty,
  // expressions
  number,      // number; whole: an integer literal
  name,        // text: a variable or a parameter
  subscript,   // children: base, index
  unary,       // text: operator, with "post" before it where it stands behind its operand
  binary,      // text: operator, assignments included
  conditional, // children: condition, then, else
  cast,        // children: operand; `type` is the result's
  call,        // text: function; children: arguments
  list,        // initial values of an array: { 1, 2, 3 }
  other,       // text: what the front end calls it
};

struct CNode {
  CKind kind = CKind::other;
  std::string text;
  double number = 0;
  bool whole = false;
  std::vector<CNodePtr> children;
  std::vector<CNodePtr> extents; // of a variable: its type's dimensions that are written as expressions
  std::string declaration;       // of a variable, a name or a called function: which one is meant
  CType type;
  Place place;
  std::size_t begin = 0, end = 0; // bytes in the file
  CNodePtr launch;                // of a call that launches a kernel: hone_launch(grid, block, shared, stream)
  bool shared = false;            // of a variable: the threads of a block share it
};

// The type of a scalar argument. Integers that tensors do not have are passed in 64 bits.
inline kernel::DataType scalar_type(const CType& type)
{
  return type.data.value_or(kernel::DataType::i64);
}

inline const CNode& without_casts(const CNode& node)
{
  return node.kind == CKind::cast ? without_casts(*node.children[0]) : node;
}

// x = 1, x += 1, x++: an expression that changes a variable or an element, its first child.
inline bool changes_its_operand(const CNode& node)
{
  const bool compares = node.text == "==" || node.text == "!=" || node.text == "<=" || node.text == ">=";
  return (node.kind == CKind::binary && node.text.ends_with("=") && !compares)
         || (node.kind == CKind::unary && (node.text.ends_with("++") || node.text.ends_with("--")));
}

struct CParameter {
  std::string name;
  std::string declaration;
  CType type;
  std::vector<CNodePtr> extents; // per dimension of the type; null where nothing is written
  std::vector<std::string> extent_texts;
  std::size_t begin = 0, end = 0; // bytes of the declaration in the file
  Place place;
};

inline bool is_integer(const CParameter& parameter)
{
  return parameter.type.extents.empty() && parameter.type.kind == CType::Kind::integer;
}

struct CFunction {
  std::string name;
  std::string declaration;
  CType result;
  std::vector<CParameter> parameters;
  CNodePtr body;
  std::size_t begin = 0, end = 0; // bytes of the definition in the file
  std::size_t body_begin = 0;     // of the opening brace
  std::vector<std::string> uses;  // declarations that its body names
  bool in_main_file = false;
  bool global = false; // runs on a device, once per thread: __global__
  bool device = false; // runs on a device: __global__ or __device__
  Place place;
};

// What stands at the top of a file of CUDA C++ or HIP, or in a namespace there: bytes that stay or go together.
struct CPiece {
  std::string name; // may be empty
  std::size_t begin = 0, end = 0;
};

// A definition at the top of the file that is no function: a constant, a type, a variable.
struct CTopLevel {
  std::string declaration;
  CNodePtr variable; // null for anything else
  std::size_t begin = 0, end = 0;
  std::vector<std::string> uses;
};

struct CFile {
  std::string path;
  std::string text;
  bool cpp = false;
  std::string device_language;      // "cuda", "hip"; empty: code for a CPU
  std::vector<CFunction> functions; // with a body, in the order of the file
  std::vector<CTopLevel> others;    // of the main file
  std::vector<CPiece> pieces;       // of the main file, where it has device code
  std::vector<Error> host_errors;   // of the front end, in functions of the host beside device code

  const CFunction* find(const std::string& declaration) const;
};

} // namespace hone::import
