// Decodes the memory accesses that an instruction is about to make, from its bytes and the registers. (internal)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::backend::cpu {

// In the order in which the access callback pushes them.
struct GeneralRegisters {
  std::uint64_t rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

// As the access callback stores them. Registers that the processor lacks hold anything.
struct VectorRegisters {
  alignas(64) std::array<std::array<std::byte, 64>, 32> vectors;
  std::array<std::uint64_t, 8> masks;
};

// Of an indirect jump: MemoryAccess::address itself, or the address stored there.
enum class JumpTarget { none, address, stored_at_address };

struct MemoryAccess {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool reads = false;
  bool writes = false;
  bool locked = false;          // atomic
  bool non_temporal = false;    // a store that goes around the caches
  bool moves_stack = false;     // no access: the stack pointer becomes `address`; 0: unknown
  bool stack_is_stored = false; // the stack pointer becomes what is stored at `address`
  JumpTarget jump = JumpTarget::none;
};

class AccessDecoder {
public:
  AccessDecoder();
  ~AccessDecoder();
  AccessDecoder(const AccessDecoder&) = delete;
  AccessDecoder& operator=(const AccessDecoder&) = delete;

  // `rsp`: its value before the instruction. `fs_base`: the address that %fs stands for. No access for bytes that are
  // not an instruction. Caches decoded instructions by address. Returns the same vector each time.
  const std::vector<MemoryAccess>& decode_accesses(const std::byte* instruction, const GeneralRegisters& registers,
                                                   std::uint64_t rsp, std::uint64_t fs_base,
                                                   const VectorRegisters& vectors);

private:
  struct State;
  State* m_state;
};

} // namespace hone::backend::cpu
