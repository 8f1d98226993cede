#include "backend/cpu/told_access.h"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <bit>
#include <cpuid.h>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace hone::cpu {
namespace {

constexpr std::size_t k_longest = 15; // bytes of an instruction

// Components of the processor's state, and where its standard format puts them.
enum Component { k_sse = 1, k_avx = 2, k_masks = 5, k_upper_halves = 6, k_upper_registers = 7 };
constexpr std::size_t k_xmm_at = 160;
constexpr std::size_t k_header_at = 512;

std::size_t place_of(Component component)
{
  static const auto places = [] {
    std::array<std::size_t, 8> found{};
    for (unsigned i = 2; i < found.size(); ++i) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (__get_cpuid_count(0xd, i, &a, &b, &c, &d) != 0) {
        found[i] = b;
      }
    }
    return found;
  }();
  return places[component];
}

enum class Kind {
  plain,
  masked,    // an element for each bit of a mask register
  packed,    // as many elements as the mask has bits, one behind the other
  signs,     // an element for each sign of a vector
  scattered, // addresses from a vector
  string     // at rsi or rdi, counted by rcx where it is repeated
};

struct Operand {
  Kind kind = Kind::plain;
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
  ZydisRegister bit = ZYDIS_REGISTER_NONE; // holds the number of a bit, which may be far from the address
};

// The line of the cache in which rax points.
Operand cleared_line()
{
  Operand operand;
  operand.where.base = ZYDIS_REGISTER_RAX;
  operand.bytes = 64;
  operand.writes = true;
  operand.whole_line = true;
  return operand;
}

// Where the stack pointer moves: to what the operand says, or by as much.
struct StackMove {
  enum class Way { none, set, add, subtract, mask, unknown };
  Way way = Way::none;
  ZydisDecodedOperand by{};
};

struct Instruction {
  std::uint64_t length = 0;
  std::vector<Operand> operands;
  StackMove stack;
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list)
{
  return std::ranges::find(list, name) != list.end();
}

bool touches_nothing(const ZydisDecodedInstruction& instruction)
{
  const auto category = instruction.meta.category;
  return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP || category == ZYDIS_CATEGORY_PREFETCH
         || category == ZYDIS_CATEGORY_CLFLUSHOPT || category == ZYDIS_CATEGORY_CLWB
         || instruction.mnemonic == ZYDIS_MNEMONIC_CLFLUSH || instruction.mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
}

// They take any bit from the one on that is at an address.
bool is_bit_string(const ZydisDecodedInstruction& instruction)
{
  return instruction.mnemonic == ZYDIS_MNEMONIC_BT || instruction.mnemonic == ZYDIS_MNEMONIC_BTC
         || instruction.mnemonic == ZYDIS_MNEMONIC_BTR || instruction.mnemonic == ZYDIS_MNEMONIC_BTS;
}

// Whether elements that are masked out are not touched. The others (permutations, insertions, ...) touch all.
bool suppresses_faults(const ZydisDecodedInstruction& instruction)
{
  switch (instruction.meta.exception_class) {
  case ZYDIS_EXCEPTION_CLASS_E4NF:
  case ZYDIS_EXCEPTION_CLASS_E5NF:
  case ZYDIS_EXCEPTION_CLASS_E6NF:
  case ZYDIS_EXCEPTION_CLASS_E9NF:
  case ZYDIS_EXCEPTION_CLASS_E7NM:
  case ZYDIS_EXCEPTION_CLASS_E3NF:
  case ZYDIS_EXCEPTION_CLASS_E1NF:
  case ZYDIS_EXCEPTION_CLASS_E10NF:
    return false;
  default:
    return true;
  }
}

StackMove stack_move_of(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands)
{
  using Way = StackMove::Way;
  const auto is = [](const ZydisDecodedOperand& operand, ZydisRegister reg) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg;
  };
  StackMove move;
  const ZydisDecodedOperand* const end = operands + instruction.operand_count;
  for (const ZydisDecodedOperand* operand = operands; operand != end; ++operand) {
    const bool written = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0
                         && operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (written
        && (is(*operand, ZYDIS_REGISTER_RSP) || is(*operand, ZYDIS_REGISTER_ESP) || is(*operand, ZYDIS_REGISTER_SP))) {
      move.way = Way::unknown;
    }
  }
  const auto by = [&](Way way, const ZydisDecodedOperand& operand) {
    move.way = way;
    move.by = operand;
  };
  const ZydisDecodedOperand& to = operands[0];
  const ZydisDecodedOperand& from = operands[1];
  const bool from_value =
    from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE || (from.type == ZYDIS_OPERAND_TYPE_REGISTER && from.size == 64);
  if (instruction.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
    move.way = Way::set;
    move.by.type = ZYDIS_OPERAND_TYPE_REGISTER;
    move.by.reg.value = ZYDIS_REGISTER_RBP;
  } else if (move.way == Way::none || instruction.operand_count < 2) {
    return move;
  } else if (instruction.mnemonic == ZYDIS_MNEMONIC_XCHG && is(from, ZYDIS_REGISTER_RSP)
             && to.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    by(Way::set, to);
  } else if (!is(to, ZYDIS_REGISTER_RSP)) {
    return move;
  } else if (instruction.mnemonic == ZYDIS_MNEMONIC_LEA
             || (from_value
                 && (instruction.mnemonic == ZYDIS_MNEMONIC_MOV || instruction.mnemonic == ZYDIS_MNEMONIC_XCHG))) {
    by(Way::set, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_ADD) {
    by(Way::add, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_SUB) {
    by(Way::subtract, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_AND) {
    by(Way::mask, from);
  }
  return move;
}

std::size_t data_bytes_of_gather(std::string_view name)
{
  return name.ends_with("ps") || name.ends_with("dd") || name.ends_with("qd") ? 4 : 8;
}

std::optional<Operand> operand_of(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands,
                                  std::size_t at)
{
  const ZydisDecodedOperand& given = operands[at];
  const bool is_vector = given.type == ZYDIS_OPERAND_TYPE_MEMORY && given.mem.type == ZYDIS_MEMOP_TYPE_VSIB;
  if (given.type != ZYDIS_OPERAND_TYPE_MEMORY || (given.mem.type != ZYDIS_MEMOP_TYPE_MEM && !is_vector)) {
    return std::nullopt;
  }
  const std::string_view name = ZydisMnemonicGetString(instruction.mnemonic);
  const bool is_string = instruction.meta.category == ZYDIS_CATEGORY_STRINGOP;
  if (given.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && given.mem.base == ZYDIS_REGISTER_RSP) {
    return std::nullopt; // the stack, by a push or a call
  }
  Operand operand;
  operand.where = given.mem;
  operand.narrow = instruction.address_width == 32;
  operand.reads = (given.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  operand.writes = (given.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  operand.bytes = given.size / 8;
  std::size_t element = given.element_size / 8;
  std::size_t elements = given.element_count;
  const bool broadcast = instruction.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
  const bool has_mask = instruction.avx.mask.reg > ZYDIS_REGISTER_K0 && instruction.avx.mask.reg <= ZYDIS_REGISTER_K7;
  if (at > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].element_count > 1 && has_mask
      && operands[0].element_count != elements) { // several for each lane that is masked
    elements = operands[0].element_count;
    element = operand.bytes / elements;
  }
  operand.locked = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || instruction.mnemonic == ZYDIS_MNEMONIC_XCHG;
  operand.translates = instruction.mnemonic == ZYDIS_MNEMONIC_XLAT;
  if (is_bit_string(instruction) && at == 0 && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
    operand.bit = operands[1].reg.value;
  }
  if (is_string) {
    operand.kind = Kind::string;
    // Comparing may end early.
    operand.repeated =
      (instruction.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0
      && !name.starts_with("cmps") && !name.starts_with("scas");
  } else if (is_vector) {
    operand.kind = Kind::scattered;
    operand.bytes = data_bytes_of_gather(name);
    const std::size_t after =
      name.find("gather") != std::string_view::npos ? name.find("gather") + 6 : name.find("scatter") + 7;
    operand.index_bytes = name[after] == 'd' ? 4 : 8;
    operand.elements = instruction.avx.vector_length / 8U / std::max<std::size_t>(operand.bytes, operand.index_bytes);
    operand.mask_is_vector = !has_mask;
    operand.mask = ZydisRegisterGetId(has_mask ? instruction.avx.mask.reg : operands[2].reg.value);
  } else if (is_one_of(name, {"vmaskmovps", "vmaskmovpd", "vpmaskmovd", "vpmaskmovq"})) {
    operand.kind = Kind::signs;
    operand.bytes = name.ends_with("s") || name.ends_with("movd") ? 4 : 8;
    operand.elements = given.size / 8U / operand.bytes;
    operand.mask_is_vector = true;
    operand.mask = ZydisRegisterGetId(operands[1].reg.value);
  } else if (name.ends_with("maskmovdqu")) {
    operand.kind = Kind::signs;
    operand.bytes = 1;
    operand.elements = 16;
    operand.mask_is_vector = true;
    operand.mask = ZydisRegisterGetId(operands[1].reg.value);
  } else if (has_mask && !suppresses_faults(instruction)) {
    operand.kind = Kind::plain; // masks choose among results only
  } else if (has_mask && element > 0 && !broadcast && (name.contains("compress") || name.contains("expand"))) {
    operand.kind = Kind::packed;
    operand.bytes = element;
    operand.elements = elements;
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  } else if (has_mask && element > 0 && !broadcast && elements > 1 && !name.starts_with("vbroadcast")
             && !name.starts_with("vinsert")) {
    operand.kind = Kind::masked;
    operand.bytes = element;
    operand.elements = elements;
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  } else if (has_mask) { // one element for all lanes
    operand.kind = Kind::packed;
    operand.elements = 0; // touched where any lane is
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  }
  return operand;
}

std::uint64_t general(const GeneralRegisters& registers, std::uint64_t rsp, ZydisRegister name)
{
  const std::array<std::uint64_t, 16> values{registers.rax, registers.rcx, registers.rdx, registers.rbx,
                                             rsp,           registers.rbp, registers.rsi, registers.rdi,
                                             registers.r8,  registers.r9,  registers.r10, registers.r11,
                                             registers.r12, registers.r13, registers.r14, registers.r15};
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  const std::uint64_t value = values[static_cast<std::size_t>(ZydisRegisterGetId(whole))];
  switch (ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name)) {
  case 8: // the lower byte: no address is made of ah and its like
    return value & 0xff;
  case 16:
    return value & 0xffff;
  case 32:
    return value & 0xffffffff;
  default:
    return value;
  }
}

// What an address is made of, but for a vector of indices.
std::uint64_t address_of(const ZydisDecodedOperandMem& where, const GeneralRegisters& registers, std::uint64_t rsp,
                         std::uint64_t next_instruction, bool with_index)
{
  std::uint64_t address = where.disp.has_displacement ? static_cast<std::uint64_t>(where.disp.value) : 0;
  if (where.base == ZYDIS_REGISTER_RIP) {
    address += next_instruction;
  } else if (where.base != ZYDIS_REGISTER_NONE) {
    address += general(registers, rsp, where.base);
  }
  if (where.index != ZYDIS_REGISTER_NONE && with_index) {
    address += where.scale * general(registers, rsp, where.index);
  }
  return address;
}

// Of an operand of so many bytes whose address is that of bit 0.
std::uint64_t to_the_bit(std::uint64_t number, std::uint64_t bytes)
{
  const auto bits = static_cast<unsigned>(8 * bytes);
  const auto signed_number = static_cast<std::int64_t>(number << (64 - bits)) >> (64 - bits);
  const std::int64_t operands = signed_number >> std::countr_zero(bits);
  return static_cast<std::uint64_t>(operands) * bytes;
}

// Where the stack pointer will be; 0: anywhere.
std::uint64_t stack_after(const StackMove& move, const GeneralRegisters& registers, std::uint64_t rsp,
                          std::uint64_t next_instruction)
{
  std::uint64_t by = 0;
  if (move.by.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    by = general(registers, rsp, move.by.reg.value);
  } else if (move.by.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    by = move.by.imm.value.u;
  } else if (move.by.type == ZYDIS_OPERAND_TYPE_MEMORY) { // an address that is computed
    by = address_of(move.by.mem, registers, rsp, next_instruction, true);
  }
  switch (move.way) {
  case StackMove::Way::set:
    return by;
  case StackMove::Way::add:
    return rsp + by;
  case StackMove::Way::subtract:
    return rsp - by;
  case StackMove::Way::mask:
    return rsp & by;
  default:
    return 0;
  }
}

} // namespace

bool VectorState::holds(int component) const
{
  std::uint64_t present = 0;
  std::memcpy(&present, m_area + k_header_at, sizeof present);
  return (present >> component & 1) != 0;
}

std::uint64_t VectorState::mask(int number) const
{
  std::uint64_t value = 0;
  if (holds(k_masks)) {
    std::memcpy(&value, m_area + place_of(k_masks) + 8 * static_cast<std::size_t>(number), sizeof value);
  }
  return value;
}

std::array<std::byte, 64> VectorState::vector(int number) const
{
  std::array<std::byte, 64> value{};
  const auto at = static_cast<std::size_t>(number);
  if (number >= 16) {
    if (holds(k_upper_registers)) {
      std::memcpy(value.data(), m_area + place_of(k_upper_registers) + 64 * (at - 16), 64);
    }
    return value;
  }
  if (holds(k_sse)) {
    std::memcpy(value.data(), m_area + k_xmm_at + 16 * at, 16);
  }
  if (holds(k_avx)) {
    std::memcpy(value.data() + 16, m_area + place_of(k_avx) + 16 * at, 16);
  }
  if (holds(k_upper_halves)) {
    std::memcpy(value.data() + 32, m_area + place_of(k_upper_halves) + 32 * at, 32);
  }
  return value;
}

struct InstructionReader::State {
  ZydisDecoder decoder{};
  std::unordered_map<const std::byte*, Instruction> known;
  std::vector<ToldAccess> accesses;

  const Instruction& at(const std::byte* bytes)
  {
    const auto [entry, is_new] = known.try_emplace(bytes);
    if (is_new) {
      ZydisDecodedInstruction instruction;
      std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
      if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, k_longest, &instruction, operands.data()))) {
        entry->second.length = instruction.length;
        entry->second.stack = stack_move_of(instruction, operands.data());
        if (instruction.mnemonic == ZYDIS_MNEMONIC_CLZERO) {
          entry->second.operands.push_back(cleared_line());
        }
        for (std::size_t i = 0; i < instruction.operand_count && !touches_nothing(instruction); ++i) {
          if (const auto operand = operand_of(instruction, operands.data(), i)) {
            entry->second.operands.push_back(*operand);
          }
        }
      }
    }
    return entry->second;
  }
};

InstructionReader::InstructionReader() : m_state(new State)
{
  ZydisDecoderInit(&m_state->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

InstructionReader::~InstructionReader()
{
  delete m_state;
}

const std::vector<ToldAccess>& InstructionReader::accesses(const std::byte* instruction,
                                                           const GeneralRegisters& registers, std::uint64_t rsp,
                                                           std::uint64_t thread, const VectorState& vectors)
{
  std::vector<ToldAccess>& out = m_state->accesses;
  out.clear();
  const Instruction& known = m_state->at(instruction);
  const std::uint64_t next = reinterpret_cast<std::uint64_t>(instruction) + known.length;
  if (known.stack.way != StackMove::Way::none) {
    out.push_back({.address = stack_after(known.stack, registers, rsp, next), .moves_stack = true});
  }
  for (const Operand& operand : known.operands) {
    std::uint64_t base = address_of(operand.where, registers, rsp, next, operand.kind != Kind::scattered);
    base -= operand.whole_line ? base % operand.bytes : 0;
    base += operand.translates ? registers.rax & 0xff : 0;
    if (operand.bit != ZYDIS_REGISTER_NONE) {
      base += to_the_bit(general(registers, rsp, operand.bit), operand.bytes);
    }
    base = operand.narrow ? base & 0xffffffff : base;
    base += operand.where.segment == ZYDIS_REGISTER_FS ? thread : 0;
    const auto touch = [&](std::uint64_t address, std::uint64_t bytes) {
      out.push_back({address, bytes, operand.reads, operand.writes, operand.locked, false});
    };
    const auto lane_is_on = [&](std::size_t lane) {
      if (!operand.mask_is_vector) {
        return (vectors.mask(operand.mask) >> lane & 1) != 0;
      }
      return (vectors.vector(operand.mask)[(lane + 1) * operand.bytes - 1] & std::byte{0x80}) != std::byte{0};
    };
    switch (operand.kind) {
    case Kind::plain:
      touch(base, operand.bytes);
      break;
    case Kind::string: {
      const std::uint64_t times = operand.repeated ? registers.rcx : 1;
      const bool downwards = (registers.flags & 0x400) != 0;
      if (times > 0) {
        touch(downwards ? base - (times - 1) * operand.bytes : base, times * operand.bytes);
      }
      break;
    }
    case Kind::packed: {
      const std::uint64_t mask = vectors.mask(operand.mask);
      if (operand.elements == 0 && mask != 0) {
        touch(base, operand.bytes);
      } else if (operand.elements > 0) {
        const std::uint64_t on = operand.elements < 64 ? mask & ((std::uint64_t{1} << operand.elements) - 1) : mask;
        if (on != 0) {
          touch(base, operand.bytes * static_cast<std::uint64_t>(std::popcount(on)));
        }
      }
      break;
    }
    case Kind::masked:
    case Kind::signs:
      for (std::size_t lane = 0; lane < operand.elements; ++lane) {
        std::size_t end = lane;
        while (end < operand.elements && lane_is_on(end)) {
          ++end;
        }
        if (end > lane) {
          touch(base + lane * operand.bytes, (end - lane) * operand.bytes);
          lane = end;
        }
      }
      break;
    case Kind::scattered: {
      const std::array<std::byte, 64> indices = vectors.vector(ZydisRegisterGetId(operand.where.index));
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
          touch(base + static_cast<std::uint64_t>(index) * operand.where.scale, operand.bytes);
        }
      }
      break;
    }
    }
  }
  return out;
}

} // namespace hone::cpu
