// Verifies the decoded effects of instructions against the processor: all encodings of the legacy, VEX and EVEX maps,
// each a few times with other registers, masks and memory. HONE_INSTRUCTION_TRIALS=8 tries each more often.
#include "backend/cpu/watch/instruction_effects.h"
#include "backend/cpu/watch/memory_access.h"
#include "processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>

namespace hone::backend::cpu {
namespace {

using Memory = std::array<std::byte, Processor::k_memory_bytes>;
using Bytes = std::bitset<Processor::k_memory_bytes>;
using Random = std::mt19937_64;

constexpr std::size_t k_longest = 15;                                         // bytes of an instruction
constexpr std::size_t k_xmm_at = 160, k_unused_at = 416, k_extended_at = 576; // of the state
constexpr std::size_t k_x87_at = 32;

// How operands are addressed: by rdi; with a short distance; with an index as well; not at all.
enum class Form { base, distance, index, registers };

// An instruction in the making.
class Encoding {
public:
  void put(std::uint64_t byte) { m_bytes.at(m_size++) = static_cast<std::byte>(byte); }

  // Now and then addresses of 32 bits, or a segment that means nothing.
  void put_prefix(Random& random)
  {
    constexpr std::array prefixes{0x67, 0x2e, 0x3e, 0x36};
    if (random() % 4 == 0) {
      put(static_cast<std::uint64_t>(prefixes.at(random() % prefixes.size())));
    }
  }

  // Operands, and random bytes for constants.
  void operands(Form form, std::uint64_t reg, Random& random)
  {
    reg = (reg & 7) << 3;
    switch (form) {
    case Form::base:
      put(reg | 7);
      break;
    case Form::distance:
      put(0x40 | reg | 7);
      put(random() % 2 != 0 ? 1 + random() % 4 : 0xfc + random() % 4);
      break;
    case Form::index: // rdi + rcx * scale
      put(reg | 4);
      put(random() % 4 << 6 | 1 << 3 | 7);
      break;
    case Form::registers:
      put(0xc0 | reg | random() % 8);
      break;
    }
    while (m_size < k_longest) {
      put(random());
    }
  }
  std::span<const std::byte> bytes() const { return {m_bytes.data(), k_longest}; }

private:
  std::array<std::byte, 32> m_bytes{};
  std::size_t m_size = 0;
};

constexpr std::array k_forms{Form::base, Form::distance, Form::index, Form::registers};

template <class Visit> void for_each_legacy_encoding(Random& random, const Visit& visit)
{
  for (unsigned map = 0; map < 4; ++map) {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      const bool begins_another_map =
        map == 0 && (opcode == 0x0f || opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62);
      for (unsigned variant = 0; variant < (begins_another_map ? 0U : 2U * 4 * 3 * 8 * 4); ++variant) {
        const unsigned prefix = variant / 2 % 4, rex = variant / 8 % 3, reg = variant / 24 % 8;
        Encoding encoding;
        encoding.put_prefix(random);
        if (variant % 2 != 0) {
          encoding.put(0x66);
        }
        if (prefix != 0) {
          encoding.put(prefix == 1 ? 0xf3 : prefix == 2 ? 0xf2 : random() % 2 != 0 ? 0xf0 : 0x67);
        }
        if (rex != 0) {
          encoding.put(rex == 1 ? 0x48 : 0x40 | (random() % 8 & 0xc));
        }
        if (map != 0) {
          encoding.put(0x0f);
        }
        if (map > 1) {
          encoding.put(map == 2 ? 0x38 : 0x3a);
        }
        encoding.put(opcode);
        encoding.operands(k_forms.at(variant / 192), reg, random);
        visit(encoding.bytes());
      }
    }
  }
}

template <class Visit> void for_each_vex_encoding(Random& random, const Visit& visit)
{
  for (unsigned map = 1; map < 4; ++map) {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      for (unsigned variant = 0; variant < 4U * 2 * 2 * 4 * 4; ++variant) {
        const unsigned prefix = variant % 4, wide = variant / 4 % 2, length = variant / 8 % 2;
        const std::uint64_t second = variant / 64 == 0 ? 15 : random() % 16;
        Encoding encoding;
        encoding.put_prefix(random);
        encoding.put(0xc4);
        encoding.put((random() % 2 << 7) | 0x60 | map);
        encoding.put(wide << 7 | second << 3 | length << 2 | prefix);
        encoding.put(opcode);
        encoding.operands(k_forms.at(variant / 16 % 4), random(), random);
        visit(encoding.bytes());
      }
    }
  }
}

template <class Visit> void for_each_evex_encoding(Random& random, const Visit& visit)
{
  for (const unsigned map : {1U, 2U, 3U, 5U, 6U}) {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      for (unsigned variant = 0; variant < 4U * 2 * 3 * 4 * 3 * 3; ++variant) {
        const unsigned prefix = variant % 4, wide = variant / 4 % 2, length = variant / 8 % 3;
        const unsigned zeroes = variant / 24 % 2, broadcasts = variant / 48 % 2;
        const bool plain = variant / 288 == 0; // no second operand; no mask where that may be
        const std::uint64_t second = plain ? 31 : random() % 32;
        const std::uint64_t mask = plain && zeroes == 0 ? 0 : 1 + random() % 7;
        Encoding encoding;
        encoding.put_prefix(random);
        encoding.put(0x62);
        encoding.put((random() % 2 << 7) | 0x60 | (random() % 2 << 4) | map);
        encoding.put(wide << 7 | (second & 15) << 3 | 4 | prefix);
        encoding.put(zeroes << 7 | length << 5 | broadcasts << 4 | second >> 4 << 3 | mask);
        encoding.put(opcode);
        encoding.operands(k_forms.at(variant / 96 % 3), random(), random);
        visit(encoding.bytes());
      }
    }
  }
}

// What is watched in other ways: the stack pointer and what it points to, and what segments hold.
bool is_another_tests(const ZydisDecodedOperand& operand)
{
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    const ZydisRegister reg = operand.reg.value;
    const bool is_written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_ESP || reg == ZYDIS_REGISTER_SP
           || reg == ZYDIS_REGISTER_SPL || (is_written && ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_SEGMENT);
  }
  const ZydisDecodedOperandMem& where = operand.mem;
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY
         && (where.base == ZYDIS_REGISTER_RSP || where.base == ZYDIS_REGISTER_RIP || where.segment == ZYDIS_REGISTER_FS
             || where.segment == ZYDIS_REGISTER_GS);
}

bool is_for_this_test(const DecodedInstruction& instruction, const InstructionEffects& effects)
{
  if (is_refused(instruction) || effects.stack.kind != StackMove::Kind::none || effects.jump != IndirectJump::none
      || instruction.head.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) {
    return false;
  }
  // Of a push or a pop, what is not the stack.
  const bool on_stack =
    instruction.head.mnemonic == ZYDIS_MNEMONIC_PUSH || instruction.head.mnemonic == ZYDIS_MNEMONIC_POP;
  return std::none_of(instruction.operands.begin(), instruction.operands.begin() + instruction.head.operand_count,
                      [on_stack](const ZydisDecodedOperand& operand) {
                        const bool hidden = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
                        return !(on_stack && hidden) && is_another_tests(operand);
                      });
}

// What registers and memory are filled with, so that what is read shows: any bits; numbers; bytes of two kinds, of
// which many are equal; small indices.
enum class Fill { bits, numbers, two_kinds, indices };

class Trial {
public:
  Trial(Processor& processor, Random& random) : m_processor(processor), m_random(random)
  {
    unsigned a = 0, c = 0, d = 0;
    __get_cpuid_count(0xd, 5, &a, &m_masks_at, &c, &d);
  }

  void examine(std::span<const std::byte> bytes, int times)
  {
    const auto instruction = decode(bytes);
    if (!instruction) {
      return;
    }
    const InstructionEffects effects = effects_of(*instruction);
    if (!is_for_this_test(*instruction, effects)) {
      return;
    }
    const std::byte* at = m_processor.place(bytes.first(effects.length));
    AccessDecoder decoder;
    for (int i = 0; i < times; ++i) {
      draw(*instruction);
      const std::string mistake = mistake_in(decoder, at);
      if (!mistake.empty()) {
        note_mistake(*instruction, bytes.first(effects.length), mistake);
      }
      if (m_signal == SIGILL) {
        return; // not on this processor
      }
    }
  }

  const std::map<std::string, std::string>& mistakes() const { return m_mistakes; }
  long carried_out() const { return m_carried_out; }

private:
  std::uint64_t address(std::size_t offset) { return reinterpret_cast<std::uint64_t>(m_processor.memory()) + offset; }

  // Registers, masks and memory for one run.
  void draw(const DecodedInstruction& instruction)
  {
    const auto end = instruction.operands.begin() + instruction.head.operand_count;
    const bool scattered = std::any_of(instruction.operands.begin(), end, [](const ZydisDecodedOperand& operand) {
      return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    });
    m_fill = scattered ? Fill::indices : static_cast<Fill>(m_random() % 3);
    draw_general(instruction.head);
    m_kind = static_cast<std::byte>(m_random() % 2 != 0 ? 0xff * (m_random() % 2) : m_random());
    m_difference = static_cast<std::byte>(m_random() % 2 != 0 ? 1 : 0x81);
    fill({m_begin.vectors.data() + k_xmm_at, k_unused_at - k_xmm_at}, m_fill);
    fill({m_begin.vectors.data() + k_extended_at, k_state_bytes - k_extended_at}, m_fill);
    fill(m_memory, m_fill == Fill::indices ? Fill::bits : m_fill);
    draw_masks();
    draw_x87();
  }

  // rdi, rsi, rbx and mostly rax point into memory; rcx counts. Where addresses have 32 bits the others mean nothing.
  void draw_general(const ZydisDecodedInstruction& head)
  {
    const ZydisMnemonic mnemonic = head.mnemonic;
    GeneralRegisters& to = m_begin.general;
    const bool bits = mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTC || mnemonic == ZYDIS_MNEMONIC_BTR
                      || mnemonic == ZYDIS_MNEMONIC_BTS;
    for (std::uint64_t* reg :
         {&to.rax, &to.rdx, &to.rbp, &to.r8, &to.r9, &to.r10, &to.r11, &to.r12, &to.r13, &to.r14, &to.r15}) {
      *reg = bits || m_random() % 2 != 0 ? m_random() % 1000 : m_random();
    }
    if (mnemonic == ZYDIS_MNEMONIC_CLZERO || (!bits && m_random() % 2 != 0)) {
      to.rax = address(256 + m_random() % 64 * 8);
    }
    to.rcx = m_random() % 20;
    to.rbx = address(512);
    to.rsi = address(768 + m_random() % 2 * 256);
    to.rdi = address(1024);
    if (head.address_width == 32) {
      for (std::uint64_t* reg : {&to.rax, &to.rcx, &to.rbx, &to.rsi, &to.rdi}) {
        *reg |= m_random() << 32;
      }
    }
    constexpr std::uint64_t arithmetic = 0x8d5, always = 0x202, downwards = 0x400;
    to.flags = always | (m_random() & arithmetic) | (m_random() % 4 == 0 ? downwards : 0);
  }

  void fill(std::span<std::byte> to, Fill how)
  {
    for (std::size_t i = 0; i < to.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = m_random();
      if (how == Fill::numbers) {
        const std::array numbers{static_cast<float>(word % 2001) / 8 - 125,
                                 static_cast<float>((word >> 32) % 2001) / 8 - 125};
        std::memcpy(&word, numbers.data(), sizeof word);
      } else if (how == Fill::indices) {
        word %= 64;
      } else if (how == Fill::two_kinds) {
        const std::uint64_t each = 0x0101010101010101;
        word = each * static_cast<std::uint64_t>(m_kind) ^ (word & each) * static_cast<std::uint64_t>(m_difference);
      }
      std::memcpy(to.data() + i, &word, sizeof word);
    }
  }

  void draw_masks()
  {
    for (std::size_t i = 0; m_masks_at != 0 && i < 8; ++i) {
      std::uint64_t mask = m_random();
      switch (m_random() % 6) {
      case 0:
        mask &= m_random() & m_random();
        break;
      case 1:
        mask = 0;
        break;
      case 2:
        mask = std::uint64_t{1} << m_random() % 16;
        break;
      default:
        break;
      }
      std::memcpy(m_begin.vectors.data() + m_masks_at + 8 * i, &mask, sizeof mask);
    }
  }

  void draw_x87()
  {
    const std::uint16_t control = 0x37f;
    const auto top = static_cast<std::uint16_t>(m_random() % 8 << 11);
    const std::uint32_t vector_control = 0x1f80;
    std::byte* to = m_begin.vectors.data();
    std::memcpy(to, &control, sizeof control);
    std::memcpy(to + 2, &top, sizeof top);
    to[4] = static_cast<std::byte>(m_random()); // which of its registers are in use
    std::memcpy(to + 24, &vector_control, sizeof vector_control);
    for (std::size_t i = 0; i < 8; ++i) {
      const long double value = static_cast<long double>(m_random() % 200001) / 16 - 6250;
      std::memcpy(to + k_x87_at + 16 * i, &value, 10);
    }
  }

  // Everything that the instruction is not said to read is changed: what it computes must stay the same, and what it
  // is said to write must come out the same.
  std::string mistake_in(AccessDecoder& decoder, const std::byte* instruction)
  {
    Bytes reads, writes;
    for (const MemoryAccess& access :
         decoder.decode_accesses(instruction, m_begin.general, 0, 0, vector_registers(m_begin))) {
      for (std::uint64_t at = access.address; at < access.address + access.bytes; ++at) {
        const std::uint64_t offset = at - address(0);
        if (offset >= m_memory.size()) {
          return ""; // it ends in a signal
        }
        reads.set(offset, reads.test(offset) || access.reads);
        writes.set(offset, writes.test(offset) || access.writes);
      }
    }
    if (!run(m_memory, m_first, m_first_memory)) {
      return "";
    }
    ++m_carried_out;
    m_changed = m_memory;
    for (std::size_t i = 0; i < m_changed.size(); ++i) {
      if (!reads.test(i)) {
        m_changed[i] ^= m_fill == Fill::bits && m_random_flips[i] != std::byte{0} ? m_random_flips[i] : m_difference;
      }
    }
    if (!run(m_changed, m_second, m_second_memory)) {
      return "reads what it is not said to: another signal";
    }
    if (std::memcmp(&m_first.general, &m_second.general, sizeof m_first.general) != 0
        || m_first.vectors != m_second.vectors) {
      return "reads what it is not said to";
    }
    for (std::size_t i = 0; i < m_memory.size(); ++i) {
      const bool written = writes.test(i);
      if (!written && (m_first_memory[i] != m_memory[i] || m_second_memory[i] != m_changed[i])) {
        return "writes what it is not said to";
      }
      if (written && m_first_memory[i] != m_second_memory[i]) {
        return "leaves as it is what it is said to write";
      }
    }
    return "";
  }

  bool run(const Memory& before, ProcessorState& end, Memory& after)
  {
    std::memcpy(m_processor.memory(), before.data(), before.size());
    m_signal = m_processor.run(m_begin, end);
    std::memcpy(after.data(), m_processor.memory(), after.size());
    return m_signal == 0;
  }

  void note_mistake(const DecodedInstruction& instruction, std::span<const std::byte> bytes, const std::string& mistake)
  {
    const std::string key = std::string(ZydisMnemonicGetString(instruction.head.mnemonic)) + " " + mistake;
    std::string hex;
    for (const std::byte byte : bytes) {
      constexpr std::string_view digits = "0123456789abcdef";
      hex += digits[static_cast<std::size_t>(byte) / 16];
      hex += digits[static_cast<std::size_t>(byte) % 16];
    }
    m_mistakes.try_emplace(key, hex);
  }

  static Memory drawn_once()
  {
    Random random(1);
    Memory drawn{};
    std::ranges::generate(drawn, [&] { return static_cast<std::byte>(random()); });
    return drawn;
  }

  Processor& m_processor;
  Random& m_random;
  unsigned m_masks_at = 0;
  Fill m_fill = Fill::bits;
  std::byte m_kind{}, m_difference{};
  ProcessorState m_begin, m_first, m_second;
  Memory m_memory{}, m_changed{}, m_first_memory{}, m_second_memory{};
  Memory m_random_flips = drawn_once();
  int m_signal = 0;
  long m_carried_out = 0;
  std::map<std::string, std::string> m_mistakes; // what is wrong, and an instruction of which it is
};

TEST(InstructionEffects, AgreeWithTheProcessor)
{
  Processor processor;
  if (*processor.why_not() != '\0') {
    GTEST_SKIP() << processor.why_not();
  }
  const char* const asked = std::getenv("HONE_INSTRUCTION_TRIALS");
  const int times = asked == nullptr ? 1 : std::atoi(asked);
  Random random(static_cast<std::uint64_t>(times));
  Trial trial(processor, random);
  const auto examine = [&](std::span<const std::byte> bytes) { trial.examine(bytes, times); };
  for_each_legacy_encoding(random, examine);
  for_each_vex_encoding(random, examine);
  for_each_evex_encoding(random, examine);
  EXPECT_GT(trial.carried_out(), 100'000);
  EXPECT_THAT(trial.mistakes(), testing::IsEmpty());
}

} // namespace
} // namespace hone::backend::cpu
