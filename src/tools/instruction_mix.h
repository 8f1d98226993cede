// Instructions counted by class.
#pragma once

#include "tools/instruction_class.h"

#include <algorithm>
#include <map>

namespace hone::tools {

struct InstructionMix {
  std::map<InstructionClass, int> counts;
  int vector_bytes = 0; // of the widest vector that arithmetic works on (x86)

  void add(const Instruction& one, backend::ListingSyntax syntax)
  {
    const InstructionClass what = class_of(one, syntax);
    ++counts[what];
    if (what == InstructionClass::fused_multiply || what == InstructionClass::arithmetic
        || what == InstructionClass::integer_vector) {
      vector_bytes = std::max(vector_bytes, tools::vector_bytes(one));
    }
  }
  void add(const Function& function, backend::ListingSyntax syntax)
  {
    for (const Instruction& one : function.instructions) {
      add(one, syntax);
    }
  }
  void add(const Function& function, const Loop& loop, backend::ListingSyntax syntax)
  {
    for (const std::size_t i : loop.instructions) {
      add(function.instructions[i], syntax);
    }
  }

  int of(InstructionClass what) const
  {
    const auto found = counts.find(what);
    return found == counts.end() ? 0 : found->second;
  }
  int total() const
  {
    int sum = 0;
    for (const auto& [what, count] : counts) {
      sum += count;
    }
    return sum;
  }
  int arithmetic() const
  {
    using Class = InstructionClass;
    return of(Class::matrix) + of(Class::fused_multiply) + of(Class::arithmetic) + of(Class::special)
           + of(Class::integer_vector) + of(Class::scalar_arithmetic);
  }
  // The same, with what functions such as exp take, about.
  int arithmetic_with_calls() const
  {
    constexpr int k_call = 20; // instructions
    return arithmetic() + k_call * of(InstructionClass::call);
  }
  int memory() const
  {
    using Class = InstructionClass;
    return of(Class::load) + of(Class::store) + of(Class::local_load) + of(Class::local_store) + of(Class::stack)
           + of(Class::gather) + of(Class::copy) + of(Class::atomic);
  }
};

} // namespace hone::tools
