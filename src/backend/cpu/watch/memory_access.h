// What memory an instruction is about to touch, out of its bytes and the registers as they are. (internal)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::cpu {

// As the function that is called before each instruction stores them.
struct GeneralRegisters {
  std::uint64_t rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

// Vector and mask registers, as it stores those. What a processor does not have holds anything.
struct VectorRegisters {
  alignas(64) std::array<std::array<std::byte, 64>, 32> vectors;
  std::array<std::uint64_t, 8> masks;
};

// To the address of an access, or to the address that lies there.
enum class ToldJump { none, there, as_it_says };

struct ToldAccess {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool reads = false;
  bool writes = false;
  bool locked = false;      // by no other processor in between
  bool moves_stack = false; // nothing is touched: the stack pointer moves to `address`, or anywhere where that is 0
  ToldJump jump = ToldJump::none;
};

// `rsp`: of the instruction. `thread`: where %fs points. An instruction that cannot be told of has no access.
class InstructionReader {
public:
  InstructionReader();
  ~InstructionReader();
  InstructionReader(const InstructionReader&) = delete;
  InstructionReader& operator=(const InstructionReader&) = delete;

  // The same vector each time.
  const std::vector<ToldAccess>& accesses(const std::byte* instruction, const GeneralRegisters& registers,
                                          std::uint64_t rsp, std::uint64_t thread, const VectorRegisters& vectors);

private:
  struct State;
  State* m_state;
};

} // namespace hone::cpu
