// Local variables and constants of a candidate that was compiled with gaps between them (-fsanitize=kernel-address).
// Its functions note in bytes of their own, one for eight of a stack, what is a variable and what is none; whoever
// looks at an access finds there whether it leaves the variable that it was meant for, or comes after the block of that
// is over. Where these bytes lie, what they say, and what the compiler calls: GCC's asan.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cpu {

class GuardedVariables {
public:
  // The compiler's options; they say where the bytes of an address lie.
  static const std::vector<std::string>& compiler_flags();

  // Before anything runs on a stack. False: there is no place for its bytes.
  bool add_stack(const void* begin, const void* end);
  void add_constant(const void* begin, std::size_t bytes, std::size_t bytes_with_gap, std::string_view name);

  // "" or which variable an access leaves: "4 bytes past the end of sums, a local variable of 160 bytes".
  std::string trouble(const void* address, std::size_t bytes) const;

  // What functions note by calls: a block that they take from the stack as they run, with gaps of 32 bytes around it;
  // that a variable's block of statements is over, or begins; and that what lies on a stack is nothing any more.
  void guard_block(std::uintptr_t begin, std::size_t bytes);
  void end_variable(std::uintptr_t begin, std::size_t bytes);
  void begin_variable(std::uintptr_t begin, std::size_t bytes);
  void forget(std::uintptr_t begin, std::uintptr_t end);

private:
  struct Stack {
    std::uintptr_t begin, end;
  };
  struct Constant {
    std::uintptr_t begin;
    std::size_t bytes, bytes_with_gap;
    std::string name;
  };

  bool is_in_stack(std::uintptr_t begin, std::uintptr_t end) const;
  void note(std::uintptr_t begin, std::uintptr_t end, std::uint8_t what); // from where eight bytes begin
  std::string of_a_stack(std::uintptr_t begin, std::uintptr_t end) const;
  std::string of_constants(std::uintptr_t begin, std::uintptr_t end) const;

  std::vector<Stack> m_stacks;
  std::vector<Constant> m_constants;
};

GuardedVariables& guarded_variables(); // of this program

} // namespace hone::cpu
