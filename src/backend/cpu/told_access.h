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

// The processor's own layout of its state (XSAVE, standard format).
class VectorState {
public:
  explicit VectorState(const std::byte* area) : m_area(area) {}
  std::uint64_t mask(int number) const;               // k0 to k7
  std::array<std::byte, 64> vector(int number) const; // all 512 bits of a vector register

private:
  bool holds(int component) const;
  const std::byte* m_area;
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
                                          std::uint64_t rsp, std::uint64_t thread, const VectorState& vectors);

private:
  struct State;
  State* m_state;
};

} // namespace hone::cpu
