// What an instruction does that a watch must be told of: the memory that it may touch, where it moves the stack pointer
// to, where it jumps. (internal)
#pragma once

#include <Zydis/Zydis.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hone::cpu {

enum class OperandKind {
  plain,
  masked,    // an element for each bit of a mask register
  packed,    // as many elements as the mask has bits, one behind the other
  signs,     // an element for each sign of a vector
  scattered, // addresses from a vector
  string     // at rsi or rdi, counted by rcx where it is repeated
};

struct ToldOperand {
  OperandKind kind = OperandKind::plain;
  ZydisDecodedOperandMem where{};
  std::uint64_t bytes = 0; // of all, or of an element
  std::size_t elements = 1;
  bool reads = false, writes = false;
  int mask = 0; // the number of a mask register, or of a vector of signs
  bool mask_is_vector = false;
  bool narrow = false;         // addresses of 32 bits
  std::size_t index_bytes = 0; // of a vector of them
  bool repeated = false;
  bool locked = false;
  bool whole_line = false;
  bool translates = false;                 // at a distance in al
  std::uint64_t popped = 0;                // bytes that the stack pointer has moved on before the address is taken
  ZydisRegister bit = ZYDIS_REGISTER_NONE; // holds the number of a bit, which may be far from the address
};

// Where the stack pointer moves: to what the operand says, or by as much.
struct StackMove {
  enum class Way { none, set, add, subtract, mask, unknown };
  Way way = Way::none;
  ZydisDecodedOperand by{};
};

// Where an instruction jumps that does not say it itself.
enum class Jump {
  none,
  by_register, // the first operand
  by_memory,   // the only operand
  back         // a return, by the stack
};

struct DecodedInstruction {
  ZydisDecodedInstruction head{};
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};
};

// Nothing where no instruction begins.
std::optional<DecodedInstruction> decode(std::span<const std::byte> bytes);

struct ToldInstruction {
  std::uint64_t length = 0;
  std::vector<ToldOperand> operands;
  StackMove stack;
  Jump jump = Jump::none;
  ZydisRegister target = ZYDIS_REGISTER_NONE; // of a jump by one

  bool is_to_be_told() const { return !operands.empty() || stack.way != StackMove::Way::none || jump != Jump::none; }
};

ToldInstruction read_instruction(const DecodedInstruction& instruction);

// Whether it is one that no kernel has any use for, but an attack has.
bool is_refused(const DecodedInstruction& instruction);

} // namespace hone::cpu
