// Local variables and constants with redzones around them (-fsanitize=kernel-address). Instrumented functions mark in
// shadow memory, one byte for eight bytes of stack, what belongs to a variable. Accesses that leave their variable, or
// use one after its scope, are found there. Shadow layout, values and hooks: GCC's asan.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend::cpu {

class GuardedVariables {
public:
  // The compiler's options; they fix the shadow address.
  static const std::vector<std::string>& compiler_flags();

  // Maps the shadow of a stack before anything runs on it. False: its addresses are taken.
  bool add_stack(const void* begin, const void* end);
  void add_constant(const void* begin, std::size_t bytes, std::size_t bytes_with_redzone, std::string_view name);

  // "" or which variable an access leaves: "4 bytes past the end of sums, a local variable of 160 bytes".
  std::string violation(const void* address, std::size_t bytes) const;

  // What instrumented functions mark by calls.
  void add_block(std::uintptr_t begin, std::size_t bytes); // alloca: with redzones of 32 bytes
  void end_lifetime(std::uintptr_t begin, std::size_t bytes);
  void begin_lifetime(std::uintptr_t begin, std::size_t bytes);
  void clear(std::uintptr_t begin, std::uintptr_t end); // the frames in this range are gone

private:
  struct Stack {
    std::uintptr_t begin, end;
  };
  struct Constant {
    std::uintptr_t begin;
    std::size_t bytes, bytes_with_redzone;
    std::string name;
  };

  bool is_in_stack(std::uintptr_t begin, std::uintptr_t end) const;
  void set_shadow(std::uintptr_t begin, std::uintptr_t end, std::uint8_t value); // `begin`: a multiple of eight
  std::string stack_violation(std::uintptr_t begin, std::uintptr_t end) const;
  std::string constant_violation(std::uintptr_t begin, std::uintptr_t end) const;

  std::vector<Stack> m_stacks;
  std::vector<Constant> m_constants;
};

GuardedVariables& guarded_variables(); // of this program

} // namespace hone::backend::cpu
