#include "backend/cpu/watch/memory_access.h"

#include "backend/cpu/watch/instruction_effects.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_longest = 15; // bytes of an instruction

using Registers = GeneralRegisters;

// By their numbers in instructions; the fifth is the stack pointer.
constexpr std::array<std::uint64_t Registers::*, 16> k_general{
  &Registers::rax, &Registers::rcx, &Registers::rdx, &Registers::rbx, nullptr,         &Registers::rbp,
  &Registers::rsi, &Registers::rdi, &Registers::r8,  &Registers::r9,  &Registers::r10, &Registers::r11,
  &Registers::r12, &Registers::r13, &Registers::r14, &Registers::r15};

struct RegisterPart {
  std::uint8_t number = 0; // of the whole register
  std::uint64_t mask = 0;  // of its bits; ah and its like never form addresses
};

// Computed once: it is looked up for each access.
const RegisterPart& part_of(ZydisRegister name)
{
  static const std::vector<RegisterPart> parts = [] {
    std::vector<RegisterPart> all(ZYDIS_REGISTER_MAX_VALUE + 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto part = static_cast<ZydisRegister>(i);
      const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
      const unsigned width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, part);
      all[i] = {static_cast<std::uint8_t>(ZydisRegisterGetId(whole)),
                width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0}};
    }
    return all;
  }();
  return parts[static_cast<std::size_t>(name)];
}

std::uint64_t general(const GeneralRegisters& registers, std::uint64_t rsp, ZydisRegister name)
{
  const RegisterPart& part = part_of(name);
  const auto member = k_general.at(part.number);
  return (member == nullptr ? rsp : registers.*member) & part.mask;
}

// Without the vector of indices of a gather.
std::uint64_t address_of(const ZydisDecodedOperandMem& where, const GeneralRegisters& registers, std::uint64_t rsp,
                         std::uint64_t next_instruction, bool with_index)
{
  std::uint64_t address = where.disp.has_displacement ? static_cast<std::uint64_t>(where.disp.value) : 0;
  if (where.base == ZYDIS_REGISTER_RIP || where.base == ZYDIS_REGISTER_EIP) {
    address += next_instruction;
  } else if (where.base != ZYDIS_REGISTER_NONE) {
    address += general(registers, rsp, where.base);
  }
  if (where.index != ZYDIS_REGISTER_NONE && with_index) {
    address += where.scale * general(registers, rsp, where.index);
  }
  return address;
}

// Byte offset of the operand that holds a bit, from the operand with bit 0.
std::uint64_t bit_offset(std::uint64_t number, std::uint64_t bytes)
{
  const auto bits = static_cast<unsigned>(8 * bytes);
  const auto signed_number = static_cast<std::int64_t>(number << (64 - bits)) >> (64 - bits);
  const std::int64_t operands = signed_number >> std::countr_zero(bits);
  return static_cast<std::uint64_t>(operands) * bytes;
}

// The stack pointer after the instruction, or where it is loaded from; 0: unknown.
std::uint64_t stack_after(const StackMove& move, const GeneralRegisters& registers, std::uint64_t rsp,
                          std::uint64_t next_instruction)
{
  std::uint64_t by = 0;
  if (move.by.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    by = general(registers, rsp, move.by.reg.value);
  } else if (move.by.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    by = move.by.imm.value.u;
  } else if (move.by.type == ZYDIS_OPERAND_TYPE_MEMORY) { // lea, or a load
    by = address_of(move.by.mem, registers, rsp, next_instruction, true);
  }
  switch (move.kind) {
  case StackMove::Kind::set:
  case StackMove::Kind::load:
    return by;
  case StackMove::Kind::add:
    return rsp + by;
  case StackMove::Kind::subtract:
    return rsp - by;
  case StackMove::Kind::mask:
    return rsp & by;
  default:
    return 0;
  }
}

} // namespace

struct AccessDecoder::State {
  struct Recent {
    const std::byte* bytes = nullptr;
    const InstructionEffects* instruction = nullptr;
  };
  std::unordered_map<const std::byte*, InstructionEffects> known;
  std::array<Recent, 1024> recent; // holds whole loops
  std::vector<MemoryAccess> accesses;

  const InstructionEffects& at(const std::byte* bytes)
  {
    Recent& place = recent[reinterpret_cast<std::uintptr_t>(bytes) % recent.size()];
    if (place.bytes != bytes) {
      place = {bytes, &find(bytes)};
    }
    return *place.instruction;
  }

  const InstructionEffects& find(const std::byte* bytes)
  {
    const auto [entry, is_new] = known.try_emplace(bytes);
    if (is_new) {
      if (const auto instruction = decode({bytes, k_longest})) {
        entry->second = effects_of(*instruction);
      }
    }
    return entry->second;
  }
};

AccessDecoder::AccessDecoder() : m_state(new State) {}

AccessDecoder::~AccessDecoder()
{
  delete m_state;
}

const std::vector<MemoryAccess>& AccessDecoder::decode_accesses(const std::byte* instruction,
                                                                const GeneralRegisters& registers, std::uint64_t rsp,
                                                                std::uint64_t fs_base, const VectorRegisters& vectors)
{
  std::vector<MemoryAccess>& out = m_state->accesses;
  out.clear();
  const InstructionEffects& known = m_state->at(instruction);
  const std::uint64_t next = reinterpret_cast<std::uint64_t>(instruction) + known.length;
  if (known.stack.kind != StackMove::Kind::none) {
    out.push_back({.address = stack_after(known.stack, registers, rsp, next),
                   .moves_stack = true,
                   .stack_is_stored = known.stack.kind == StackMove::Kind::load});
  }
  if (known.jump == IndirectJump::by_register) {
    out.push_back({.address = general(registers, rsp, known.target), .jump = JumpTarget::address});
  } else if (known.jump == IndirectJump::by_return) {
    out.push_back({.address = rsp, .jump = JumpTarget::stored_at_address});
  }
  for (const MemoryOperand& operand : known.operands) {
    std::uint64_t base = address_of(operand.address, registers, rsp, next, operand.kind != OperandKind::gather);
    base -= operand.whole_line ? base % operand.bytes : 0;
    base += operand.adds_al ? registers.rax & 0xff : 0;
    base += operand.popped;
    if (operand.bit_index != ZYDIS_REGISTER_NONE) {
      base += bit_offset(general(registers, rsp, operand.bit_index), operand.bytes);
    }
    base = operand.is_address_32_bit ? base & 0xffffffff : base;
    base += operand.address.segment == ZYDIS_REGISTER_FS ? fs_base : 0;
    const auto add = [&](std::uint64_t address, std::uint64_t bytes) {
      out.push_back({.address = address,
                     .bytes = bytes,
                     .reads = operand.reads,
                     .writes = operand.writes,
                     .locked = operand.locked,
                     .non_temporal = operand.non_temporal});
    };
    const auto mask = static_cast<std::size_t>(operand.mask);
    const auto lane_is_on = [&](std::size_t lane) {
      if (!operand.mask_is_vector) {
        return (vectors.masks.at(mask) >> lane & 1) != 0;
      }
      return (vectors.vectors.at(mask)[(lane + 1) * operand.bytes - 1] & std::byte{0x80}) != std::byte{0};
    };
    switch (operand.kind) {
    case OperandKind::plain:
      add(base, operand.bytes);
      out.back().jump = known.jump == IndirectJump::by_memory ? JumpTarget::stored_at_address : JumpTarget::none;
      break;
    case OperandKind::string: {
      const std::uint64_t count = operand.is_address_32_bit ? registers.rcx & 0xffffffff : registers.rcx;
      const std::uint64_t times = operand.repeated ? count : 1;
      const bool downwards = (registers.flags & 0x400) != 0;
      if (times > 0) {
        add(downwards ? base - (times - 1) * operand.bytes : base, times * operand.bytes);
      }
      break;
    }
    case OperandKind::packed: {
      const std::uint64_t lanes = vectors.masks.at(mask);
      if (operand.elements == 0 && lanes != 0) {
        add(base, operand.bytes);
      } else if (operand.elements > 0) {
        const std::uint64_t on = operand.elements < 64 ? lanes & ((std::uint64_t{1} << operand.elements) - 1) : lanes;
        if (on != 0) {
          add(base, operand.bytes * static_cast<std::uint64_t>(std::popcount(on)));
        }
      }
      break;
    }
    case OperandKind::masked:
    case OperandKind::sign_masked:
      for (std::size_t lane = 0; lane < operand.elements; ++lane) {
        std::size_t end = lane;
        while (end < operand.elements && lane_is_on(end)) {
          ++end;
        }
        if (end > lane) {
          add(base + lane * operand.bytes, (end - lane) * operand.bytes);
          lane = end;
        }
      }
      break;
    case OperandKind::gather: {
      const auto index_register = static_cast<std::size_t>(ZydisRegisterGetId(operand.address.index));
      const std::array<std::byte, 64>& indices = vectors.vectors.at(index_register);
      for (std::size_t lane = 0; lane < operand.elements; ++lane) {
        std::int64_t index = 0;
        if (operand.index_bytes == 4) {
          std::int32_t narrow = 0;
          std::memcpy(&narrow, indices.data() + 4 * lane, 4);
          index = narrow;
        } else {
          std::memcpy(&index, indices.data() + 8 * lane, 8);
        }
        if (lane_is_on(lane)) {
          add(base + static_cast<std::uint64_t>(index) * operand.address.scale, operand.bytes);
        }
      }
      break;
    }
    }
  }
  return out;
}

} // namespace hone::backend::cpu
