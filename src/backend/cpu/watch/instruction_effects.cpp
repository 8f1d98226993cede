#include "backend/cpu/watch/instruction_effects.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hone::backend::cpu {
namespace {

// clzero: the cache line that rax points into.
MemoryOperand cleared_line(const ZydisDecodedInstruction& instruction)
{
  MemoryOperand operand;
  operand.is_address_32_bit = instruction.address_width == 32;
  operand.address.base = ZYDIS_REGISTER_RAX;
  operand.bytes = 64;
  operand.writes = true;
  operand.whole_line = true;
  return operand;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list)
{
  return std::ranges::find(list, name) != list.end();
}

bool accesses_no_memory(const ZydisDecodedInstruction& instruction)
{
  const auto category = instruction.meta.category;
  return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP || category == ZYDIS_CATEGORY_PREFETCH
         || category == ZYDIS_CATEGORY_CLFLUSHOPT || category == ZYDIS_CATEGORY_CLWB
         || instruction.mnemonic == ZYDIS_MNEMONIC_CLFLUSH || instruction.mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
}

// Their bit index may lead beyond the operand.
bool is_bit_string(const ZydisDecodedInstruction& instruction)
{
  return instruction.mnemonic == ZYDIS_MNEMONIC_BT || instruction.mnemonic == ZYDIS_MNEMONIC_BTC
         || instruction.mnemonic == ZYDIS_MNEMONIC_BTR || instruction.mnemonic == ZYDIS_MNEMONIC_BTS;
}

// Whether elements that are masked out are not accessed. The others (permutations, insertions, ...) access all
// elements, or compute a lane from other lanes too.
bool suppresses_faults(const ZydisDecodedInstruction& instruction)
{
  constexpr std::array<std::string_view, 5> k_across_lanes{"vdbpsadbw", "vgf2p8", "vpmultishift", "vpshufbitqmb",
                                                           "vmpsadbw"};
  const std::string_view name = ZydisMnemonicGetString(instruction.mnemonic);
  if (std::ranges::any_of(k_across_lanes, [&](std::string_view beginning) { return name.starts_with(beginning); })) {
    return false;
  }
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
  using Kind = StackMove::Kind;
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
      move.kind = Kind::unknown;
    }
  }
  const auto by = [&](Kind kind, const ZydisDecodedOperand& operand) {
    move.kind = kind;
    move.by = operand;
  };
  const ZydisDecodedOperand& to = operands[0];
  const ZydisDecodedOperand& from = operands[1];
  const bool from_value =
    from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE || (from.type == ZYDIS_OPERAND_TYPE_REGISTER && from.size == 64);
  if (instruction.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
    move.kind = Kind::set;
    move.by.type = ZYDIS_OPERAND_TYPE_REGISTER;
    move.by.reg.value = ZYDIS_REGISTER_RBP;
  } else if (move.kind == Kind::none || instruction.operand_count < 2) {
    return move;
  } else if (instruction.mnemonic == ZYDIS_MNEMONIC_XCHG && is(from, ZYDIS_REGISTER_RSP)
             && to.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    by(Kind::set, to);
  } else if (!is(to, ZYDIS_REGISTER_RSP)) {
    return move;
  } else if (instruction.mnemonic == ZYDIS_MNEMONIC_LEA
             || (from_value
                 && (instruction.mnemonic == ZYDIS_MNEMONIC_MOV || instruction.mnemonic == ZYDIS_MNEMONIC_XCHG))) {
    by(Kind::set, from);
  } else if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV && from.type == ZYDIS_OPERAND_TYPE_MEMORY
             && from.mem.segment != ZYDIS_REGISTER_FS && from.mem.segment != ZYDIS_REGISTER_GS) {
    by(Kind::load, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_ADD) {
    by(Kind::add, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_SUB) {
    by(Kind::subtract, from);
  } else if (from_value && instruction.mnemonic == ZYDIS_MNEMONIC_AND) {
    by(Kind::mask, from);
  }
  return move;
}

std::size_t data_bytes_of_gather(std::string_view name)
{
  return name.ends_with("ps") || name.ends_with("dd") || name.ends_with("qd") ? 4 : 8;
}

bool is_vector_register(const ZydisDecodedOperand& operand)
{
  if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) {
    return false;
  }
  const ZydisRegisterClass kind = ZydisRegisterGetClass(operand.reg.value);
  return kind == ZYDIS_REGCLASS_XMM || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM;
}

bool is_scalar(std::string_view name)
{
  return !name.starts_with("vbroadcast") && (name.ends_with("ss") || name.ends_with("sd") || name.ends_with("sh"));
}

std::optional<MemoryOperand> operand_of(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands,
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
  MemoryOperand operand;
  operand.address = given.mem;
  operand.is_address_32_bit = instruction.address_width == 32;
  operand.reads = (given.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  operand.writes = (given.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  operand.bytes = given.size / 8;
  std::size_t element = given.element_size / 8;
  std::size_t elements = given.element_count;
  const bool broadcast = instruction.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
  const bool has_mask = instruction.avx.mask.reg > ZYDIS_REGISTER_K0 && instruction.avx.mask.reg <= ZYDIS_REGISTER_K7;
  const bool fewer_lanes =
    at > 0 && is_vector_register(operands[0]) && operands[0].element_count > 1 && operands[0].element_count < elements;
  if (has_mask && fewer_lanes && !is_scalar(name)) { // several elements for each masked lane
    elements = operands[0].element_count;
    element = operand.bytes / elements;
  }
  operand.locked = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || instruction.mnemonic == ZYDIS_MNEMONIC_XCHG;
  operand.non_temporal = operand.writes && (name.starts_with("movnt") || name.starts_with("vmovnt"));
  operand.adds_al = instruction.mnemonic == ZYDIS_MNEMONIC_XLAT;
  operand.popped =
    instruction.mnemonic == ZYDIS_MNEMONIC_POP && given.mem.base == ZYDIS_REGISTER_RSP ? operand.bytes : 0;
  if (is_bit_string(instruction) && at == 0 && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
    operand.bit_index = operands[1].reg.value;
  }
  if (is_string) {
    operand.kind = OperandKind::string;
    operand.repeated =
      (instruction.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
  } else if (is_vector) {
    operand.kind = OperandKind::gather;
    operand.bytes = data_bytes_of_gather(name);
    const std::size_t after =
      name.find("gather") != std::string_view::npos ? name.find("gather") + 6 : name.find("scatter") + 7;
    operand.index_bytes = name[after] == 'd' ? 4 : 8;
    operand.elements = instruction.avx.vector_length / 8U / std::max<std::size_t>(operand.bytes, operand.index_bytes);
    operand.mask_is_vector = !has_mask;
    operand.mask = ZydisRegisterGetId(has_mask ? instruction.avx.mask.reg : operands[2].reg.value);
  } else if (is_one_of(name, {"vmaskmovps", "vmaskmovpd", "vpmaskmovd", "vpmaskmovq"})) {
    operand.kind = OperandKind::sign_masked;
    operand.bytes = name.ends_with("s") || name.ends_with("movd") ? 4 : 8;
    operand.elements = given.size / 8U / operand.bytes;
    operand.mask_is_vector = true;
    operand.mask = ZydisRegisterGetId(operands[1].reg.value);
  } else if (name.ends_with("maskmovdqu")) {
    operand.kind = OperandKind::sign_masked;
    operand.bytes = 1;
    operand.elements = 16;
    operand.mask_is_vector = true;
    operand.mask = ZydisRegisterGetId(operands[1].reg.value);
  } else if (has_mask && !operand.writes && !suppresses_faults(instruction)) {
    operand.kind = OperandKind::plain; // the mask selects results only
  } else if (has_mask && element > 0 && !broadcast && (name.contains("compress") || name.contains("expand"))) {
    operand.kind = OperandKind::packed;
    operand.bytes = element;
    operand.elements = elements;
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  } else if (has_mask && element > 0 && !broadcast && elements > 1 && !name.starts_with("vbroadcast")
             && !name.starts_with("vinsert")) {
    operand.kind = OperandKind::masked;
    operand.bytes = element;
    operand.elements = elements;
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  } else if (has_mask && !broadcast && is_scalar(name)) { // one mask bit counts
    operand.kind = OperandKind::masked;
    operand.elements = 1;
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  } else if (has_mask) { // broadcast: one element for all lanes
    operand.kind = OperandKind::packed;
    operand.elements = 0; // accessed if any lane is on
    operand.mask = ZydisRegisterGetId(instruction.avx.mask.reg);
  }
  return operand;
}

IndirectJump indirect_jump_of(const DecodedInstruction& instruction)
{
  if (instruction.head.meta.category == ZYDIS_CATEGORY_RET) {
    return IndirectJump::by_return;
  }
  if (instruction.head.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE) {
    return IndirectJump::none;
  }
  switch (instruction.operands[0].type) {
  case ZYDIS_OPERAND_TYPE_REGISTER:
    return IndirectJump::by_register;
  case ZYDIS_OPERAND_TYPE_MEMORY:
    return IndirectJump::by_memory;
  default:
    return IndirectJump::none;
  }
}

// Their result differs between calls or machines, or they leave the process, hold state that no check covers, or access
// memory in ways that compilers do not use.
constexpr std::array k_refused_categories{
  ZYDIS_CATEGORY_SYSTEM,    ZYDIS_CATEGORY_SYSCALL,   ZYDIS_CATEGORY_SYSRET,
  ZYDIS_CATEGORY_INTERRUPT, ZYDIS_CATEGORY_IO,        ZYDIS_CATEGORY_IOSTRINGOP,
  ZYDIS_CATEGORY_RDRAND,    ZYDIS_CATEGORY_RDSEED,    ZYDIS_CATEGORY_RDPID,
  ZYDIS_CATEGORY_RDPRU,     ZYDIS_CATEGORY_RDWRFSGS,  ZYDIS_CATEGORY_PKU,
  ZYDIS_CATEGORY_VTX,       ZYDIS_CATEGORY_XSAVE,     ZYDIS_CATEGORY_XSAVEOPT,
  ZYDIS_CATEGORY_WAITPKG,   ZYDIS_CATEGORY_MOVDIR,    ZYDIS_CATEGORY_ENQCMD,
  ZYDIS_CATEGORY_SEGOP,     ZYDIS_CATEGORY_SGX,       ZYDIS_CATEGORY_SMAP,
  ZYDIS_CATEGORY_PT,        ZYDIS_CATEGORY_PCONFIG,   ZYDIS_CATEGORY_HRESET,
  ZYDIS_CATEGORY_UINTR,     ZYDIS_CATEGORY_KEYLOCKER, ZYDIS_CATEGORY_KEYLOCKER_WIDE,
  ZYDIS_CATEGORY_PADLOCK,   ZYDIS_CATEGORY_TSX_LDTRK, ZYDIS_CATEGORY_AMX_TILE,
  ZYDIS_CATEGORY_MPX};
constexpr std::array k_refused{
  ZYDIS_MNEMONIC_CPUID,   ZYDIS_MNEMONIC_XGETBV,     ZYDIS_MNEMONIC_XBEGIN,   ZYDIS_MNEMONIC_XEND,
  ZYDIS_MNEMONIC_XTEST,   ZYDIS_MNEMONIC_XABORT,     ZYDIS_MNEMONIC_FNSTENV,  ZYDIS_MNEMONIC_FNSAVE,
  ZYDIS_MNEMONIC_FLDENV,  ZYDIS_MNEMONIC_FRSTOR,     ZYDIS_MNEMONIC_FXSAVE,   ZYDIS_MNEMONIC_FXSAVE64,
  ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64,  ZYDIS_MNEMONIC_ENTER,    ZYDIS_MNEMONIC_IRET,
  ZYDIS_MNEMONIC_IRETD,   ZYDIS_MNEMONIC_IRETQ,      ZYDIS_MNEMONIC_LAR,      ZYDIS_MNEMONIC_LSL,
  ZYDIS_MNEMONIC_RDTSC,   ZYDIS_MNEMONIC_RDTSCP,     ZYDIS_MNEMONIC_RDPMC,    ZYDIS_MNEMONIC_MASKMOVQ,
  ZYDIS_MNEMONIC_CLFLUSH, ZYDIS_MNEMONIC_CLFLUSHOPT, ZYDIS_MNEMONIC_CLDEMOTE, ZYDIS_MNEMONIC_CLWB,
  ZYDIS_MNEMONIC_FNSTSW,  ZYDIS_MNEMONIC_PUSHF,      ZYDIS_MNEMONIC_PUSHFD,   ZYDIS_MNEMONIC_PUSHFQ,
  ZYDIS_MNEMONIC_POPF,    ZYDIS_MNEMONIC_POPFD,      ZYDIS_MNEMONIC_POPFQ};

// Segment registers hold values of the process, not of the candidate.
bool names_a_selector(const DecodedInstruction& instruction)
{
  return std::ranges::any_of(instruction.operands, [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN
           && ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_SEGMENT;
  });
}

} // namespace

std::optional<DecodedInstruction> decode(std::span<const std::byte> bytes)
{
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  DecodedInstruction instruction;
  if (!ZYAN_SUCCESS(
        ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &instruction.head, instruction.operands.data()))) {
    return std::nullopt;
  }
  return instruction;
}

InstructionEffects effects_of(const DecodedInstruction& instruction)
{
  InstructionEffects effects;
  effects.length = instruction.head.length;
  effects.stack = stack_move_of(instruction.head, instruction.operands.data());
  effects.jump = indirect_jump_of(instruction);
  effects.target = effects.jump == IndirectJump::by_register ? instruction.operands[0].reg.value : ZYDIS_REGISTER_NONE;
  if (instruction.head.mnemonic == ZYDIS_MNEMONIC_CLZERO) {
    effects.operands.push_back(cleared_line(instruction.head));
  }
  for (std::size_t i = 0; i < instruction.head.operand_count && !accesses_no_memory(instruction.head); ++i) {
    if (const auto operand = operand_of(instruction.head, instruction.operands.data(), i)) {
      effects.operands.push_back(*operand);
    }
  }
  return effects;
}

bool is_refused(const DecodedInstruction& instruction)
{
  const ZydisDecodedInstruction& head = instruction.head;
  const std::string_view name = ZydisMnemonicGetString(head.mnemonic);
  const bool compares_strings =
    head.meta.category == ZYDIS_CATEGORY_STRINGOP && (name.starts_with("cmps") || name.starts_with("scas"));
  return compares_strings || head.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || names_a_selector(instruction)
         || (head.meta.category == ZYDIS_CATEGORY_CET && head.mnemonic != ZYDIS_MNEMONIC_ENDBR64)
         || std::ranges::find(k_refused, head.mnemonic) != k_refused.end()
         || std::ranges::find(k_refused_categories, head.meta.category) != k_refused_categories.end();
}

} // namespace hone::backend::cpu
