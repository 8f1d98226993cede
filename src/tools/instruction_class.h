// What an instruction is for, the same classes for all instruction sets.
#pragma once

#include "backend/listing.h"
#include "tools/listing.h"

#include <span>
#include <string_view>

namespace hone::tools {

enum class InstructionClass {
  matrix,         // tensor cores, MFMA
  fused_multiply, // fused multiply-add and dot products, in lanes
  arithmetic,     // other floating-point arithmetic, in lanes
  special,        // divisions, square roots, exponentials
  integer_vector, // whole numbers in vectors (x86)
  shuffle,        // moves between lanes
  convert,
  scalar_arithmetic, // floating point, one number (x86)
  load,              // of global memory or any
  store,
  local_load, // of group-local memory
  local_store,
  stack, // spills and local arrays: what lies on the stack or in an item's own memory
  gather,
  copy,   // asynchronous
  atomic, // read and written at once
  barrier,
  branch,
  call,    // of a function that was not inlined: exp, pow
  integer, // addresses and counters
  move,    // between registers
  other,
};

std::string_view name_of(InstructionClass what);
std::span<const InstructionClass> all_instruction_classes();

InstructionClass class_of(const Instruction& instruction, backend::ListingSyntax syntax);
// Bytes of the widest vector register that an instruction names (x86: 16, 32, 64); 0: none.
int vector_bytes(const Instruction& instruction);

} // namespace hone::tools
