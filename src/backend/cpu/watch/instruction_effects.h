// Effects of an x86 instruction that the watch must see: memory operands, moves of the stack pointer, indirect jumps.
// (internal)
#pragma once

#include <Zydis/Zydis.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hone::backend::cpu {

enum class OperandKind {
  plain,
  masked,      // an element for each set bit of a mask register
  packed,      // compress, expand: as many consecutive elements as the mask has set bits
  sign_masked, // an element for each lane of a vector whose sign bit is set
  gather,      // gather and scatter: addresses from a vector of indices
  string       // at rsi or rdi; rcx repetitions with a rep prefix
};

struct MemoryOperand {
  OperandKind kind = OperandKind::plain;
  ZydisDecodedOperandMem address{};
  std::uint64_t bytes = 0; // of the operand, or of one element
  std::size_t elements = 1;
  bool reads = false, writes = false;
  int mask = 0; // number of the mask register, or of the vector whose signs are the mask
  bool mask_is_vector = false;
  bool is_address_32_bit = false;
  std::size_t index_bytes = 0; // of one index of a gather or scatter
  bool repeated = false;
  bool locked = false;
  bool non_temporal = false;                     // a store that goes around the caches
  bool whole_line = false;                       // clzero: the cache line around the address
  bool adds_al = false;                          // xlat
  std::uint64_t popped = 0;                      // bytes by which rsp moves before the address is computed
  ZydisRegister bit_index = ZYDIS_REGISTER_NONE; // of bt, bts, ...: may lead far away from the address
};

// How the stack pointer changes; push, pop and call are not included.
struct StackMove {
  enum class Kind { none, set, load, add, subtract, mask, unknown };
  Kind kind = Kind::none;
  ZydisDecodedOperand by{};
};

// A jump whose target is not in the instruction.
enum class IndirectJump {
  none,
  by_register, // the first operand
  by_memory,   // the only operand
  by_return    // the address on the stack
};

struct DecodedInstruction {
  ZydisDecodedInstruction head{};
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};
};

// Nothing if the bytes are not an instruction.
std::optional<DecodedInstruction> decode(std::span<const std::byte> bytes);

struct InstructionEffects {
  std::uint64_t length = 0;
  std::vector<MemoryOperand> operands;
  StackMove stack;
  IndirectJump jump = IndirectJump::none;
  ZydisRegister target = ZYDIS_REGISTER_NONE; // of IndirectJump::by_register

  bool needs_callback() const
  {
    return !operands.empty() || stack.kind != StackMove::Kind::none || jump != IndirectJump::none;
  }
};

InstructionEffects effects_of(const DecodedInstruction& instruction);

// Whether candidates may not contain it: no kernel needs it, but an attack might.
bool is_refused(const DecodedInstruction& instruction);

} // namespace hone::backend::cpu
