#include "backend/cpu/watch/verify_instrumentation.h"

#include "backend/cpu/elf_image.h"
#include "backend/cpu/watch/instruction_effects.h"
#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/instrumented_library.h"

#include <algorithm>
#include <array>
#include <elf.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace hone::backend::cpu {
namespace {

using namespace std::literals;

// leaq -128(%rsp), %rsp; call *ADDRESS(%rip), 4 bytes of address; leaq 128(%rsp), %rsp with a 4-byte displacement.
constexpr std::array k_before{0x48, 0x8d, 0x64, 0x24, 0x80, 0xff, 0x15};
constexpr std::array k_after{0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00};
constexpr std::size_t k_address_bytes = 4;
constexpr std::size_t k_call_bytes = k_before.size() + k_address_bytes + k_after.size();
static_assert(k_after.size() == k_callback_distance);

// A position in code or data: index into Object::sections(), and an offset.
struct Place {
  std::size_t section = 0;
  std::uint64_t offset = 0;
};

struct Instruction {
  std::uint64_t offset = 0; // of its own bytes
  DecodedInstruction decoded;
  std::span<const ElfRelocation> relocations; // of these bytes

  std::uint64_t end() const { return offset + decoded.head.length; }
};

struct Section {
  std::string name;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;
  bool is_code = false;
  std::span<const std::byte> bytes; // empty for .bss
  std::span<const ElfRelocation> relocations;
  std::vector<Instruction> instructions; // without nops, which align code
  std::vector<int> numbers;              // by offset: the instruction that begins there, or -1
};

bool is_nop(const Instruction& instruction)
{
  const auto category = instruction.decoded.head.meta.category;
  return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP;
}

// Whether execution never continues with the next instruction.
bool ends_flow(const Instruction& instruction)
{
  const auto category = instruction.decoded.head.meta.category;
  return category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_RET
         || instruction.decoded.head.mnemonic == ZYDIS_MNEMONIC_UD2;
}

// Whether the relocation covers exactly an operand of the instruction.
bool fills_operand(const Instruction& instruction, const ElfRelocation& relocation)
{
  constexpr std::array<std::uint32_t, 7> k_of_4_bytes{R_X86_64_PC32,         R_X86_64_PLT32,    R_X86_64_32,
                                                      R_X86_64_32S,          R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX,
                                                      R_X86_64_REX_GOTPCRELX};
  const auto& raw = instruction.decoded.head.raw;
  const std::uint64_t at = relocation.offset - instruction.offset;
  const bool narrow = std::ranges::find(k_of_4_bytes, relocation.type) != k_of_4_bytes.end();
  const int bits = narrow ? 32 : relocation.type == R_X86_64_64 ? 64 : -1;
  return !is_nop(instruction)
         && ((raw.disp.size == bits && raw.disp.offset == at) || (raw.imm[0].size == bits && raw.imm[0].offset == at));
}

bool is_not_loaded(const ElfSection& section)
{
  return (section.flags & SHF_ALLOC) == 0;
}

// Constructors and destructors, or lists of them.
bool runs_by_itself(const ElfSection& section)
{
  constexpr std::array k_names{".init"sv, ".fini"sv, ".preinit"sv, ".ctors"sv, ".dtors"sv};
  return section.type == SHT_INIT_ARRAY || section.type == SHT_FINI_ARRAY || section.type == SHT_PREINIT_ARRAY
         || std::ranges::any_of(k_names, [&](std::string_view name) { return section.name.starts_with(name); });
}

// The loaded sections of an object.
class Object {
public:
  // `instrumented`: with callbacks.
  static std::optional<Object> read(std::string_view bytes, bool instrumented, std::string& trouble)
  {
    Object object;
    auto elf = read_elf(bytes);
    if (!elf) {
      trouble = elf.error().message;
      return std::nullopt;
    }
    object.m_elf = std::move(*elf);
    for (std::size_t i = 0; i < object.m_elf.sections.size(); ++i) {
      const ElfSection& section = object.m_elf.sections[i];
      if (is_not_loaded(section)) {
        continue;
      }
      if (runs_by_itself(section)) {
        trouble = "code that runs by itself where it is loaded: section " + section.name;
        return std::nullopt;
      }
      object.m_places[i] = object.m_sections.size();
      const std::string_view held = section.type == SHT_NOBITS ? "" : bytes.substr(section.offset, section.size);
      object.m_sections.push_back({section.name,
                                   section.flags,
                                   section.size,
                                   (section.flags & SHF_EXECINSTR) != 0,
                                   std::as_bytes(std::span(held)),
                                   section.relocations,
                                   {},
                                   {}});
    }
    for (Section& section : object.m_sections) {
      if (section.is_code) {
        trouble = object.decode_code(section, instrumented);
        if (!trouble.empty()) {
          return std::nullopt;
        }
      }
    }
    return object;
  }

  const std::vector<Section>& sections() const { return m_sections; }
  const std::vector<ElfSymbol>& symbols() const { return m_elf.table; }

  const ElfSymbol* symbol(const ElfRelocation& relocation) const
  {
    return relocation.symbol < m_elf.table.size() ? &m_elf.table[relocation.symbol] : nullptr;
  }

  // Nothing if the symbol is not defined in a loaded section.
  std::optional<Place> place_of(const ElfSymbol& symbol) const
  {
    const auto place = m_places.find(symbol.section);
    return place == m_places.end() ? std::nullopt : std::optional(Place{place->second, symbol.value});
  }

  // The number of the instruction that begins there; -1 if none does.
  int number_at(const Place& place) const
  {
    const Section& section = m_sections[place.section];
    const int number = place.offset < section.numbers.size() ? section.numbers[place.offset] : -1;
    return number < static_cast<int>(section.instructions.size()) ? number : -1;
  }

private:
  bool is_call(const Section& section, std::uint64_t offset) const
  {
    if (callback_call_bytes(section.bytes.subspan(offset)) == 0) {
      return false;
    }
    const auto relocations = relocations_in(section, offset, k_call_bytes);
    if (relocations.size() != 1 || relocations[0].offset != offset + k_before.size() || relocations[0].addend != -4) {
      return false;
    }
    const ElfSymbol* called = symbol(relocations[0]);
    return called != nullptr && called->name == k_callback_symbol && called->section == SHN_UNDEF
           && (relocations[0].type == R_X86_64_GOTPCRELX || relocations[0].type == R_X86_64_GOTPCREL);
  }

  std::string decode_code(Section& section, bool instrumented)
  {
    if (section.bytes.size() != section.size) {
      return "code without contents in section " + section.name;
    }
    section.numbers.assign(section.bytes.size(), -1);
    bool called = false;     // the next instruction has a callback
    std::uint64_t begin = 0; // of its callback, or its own
    for (std::uint64_t offset = 0; offset < section.bytes.size();) {
      begin = called ? begin : offset;
      if (instrumented && !called && is_call(section, offset)) {
        called = true;
        offset += k_call_bytes;
        continue;
      }
      const auto decoded = decode(section.bytes.subspan(offset));
      if (!decoded) {
        return "bytes in code that are no instruction, at " + section.name + "+" + std::to_string(offset);
      }
      if (is_refused(*decoded)) {
        return "the instruction "s + ZydisMnemonicGetString(decoded->head.mnemonic)
               + ": candidates may not read clocks or processor identity, enter the system, read or write control "
                 "state, or access memory by instructions that compilers do not use";
      }
      if (instrumented && !called && effects_of(*decoded).needs_callback()) {
        return "assembly text that Hone cannot instrument: an instruction that accesses memory, moves the stack "
               "pointer or "
               "jumps goes unseen ("s
               + ZydisMnemonicGetString(decoded->head.mnemonic) + ", " + section.name + "+" + std::to_string(offset)
               + ")";
      }
      section.numbers[begin] = static_cast<int>(section.instructions.size());
      const Instruction instruction{offset, *decoded, relocations_in(section, offset, decoded->head.length)};
      if (!std::ranges::all_of(instruction.relocations,
                               [&](const auto& each) { return fills_operand(instruction, each); })) {
        return "an instruction, or a part of one, that the linker writes, at " + section.name + "+"
               + std::to_string(offset);
      }
      if (!is_nop(instruction)) {
        section.instructions.push_back(instruction);
      }
      called = false;
      offset += decoded->head.length;
    }
    if (called || (!section.instructions.empty() && !ends_flow(section.instructions.back()))) {
      return "code that runs on into another section at the end of " + section.name;
    }
    return {};
  }

  static std::span<const ElfRelocation> relocations_in(const Section& section, std::uint64_t offset, std::size_t bytes)
  {
    const auto first = std::ranges::lower_bound(section.relocations, offset, {}, &ElfRelocation::offset);
    const auto last = std::ranges::lower_bound(section.relocations, offset + bytes, {}, &ElfRelocation::offset);
    return {first, last};
  }

  ElfImage m_elf;
  std::map<std::size_t, std::size_t> m_places; // ELF section index -> index into m_sections
  std::vector<Section> m_sections;
};

bool is_distance(std::uint32_t relocation)
{
  return relocation == R_X86_64_PC32 || relocation == R_X86_64_PLT32 || relocation == R_X86_64_PC64;
}

bool is_address(std::uint32_t relocation)
{
  return relocation == R_X86_64_64 || relocation == R_X86_64_32 || relocation == R_X86_64_32S;
}

// Compares the instructions and data of two objects.
class Comparison {
public:
  Comparison(const Object& instrumented, const Object& plain) : m_instrumented(instrumented), m_plain(plain) {}

  // "" or the first difference.
  std::string difference() const
  {
    if (m_instrumented.sections().size() != m_plain.sections().size()) {
      return "the number of sections";
    }
    for (std::size_t i = 0; i < m_plain.sections().size(); ++i) {
      const Section& instrumented = m_instrumented.sections()[i];
      const Section& plain = m_plain.sections()[i];
      if (instrumented.name != plain.name || instrumented.flags != plain.flags) {
        return "section " + plain.name;
      }
      const std::string found = plain.is_code ? difference_of_code(i) : difference_of_data(i);
      if (!found.empty()) {
        return found;
      }
    }
    return difference_of_symbols();
  }

private:
  std::string difference_of_data(std::size_t section) const
  {
    const Section& instrumented = m_instrumented.sections()[section];
    const Section& plain = m_plain.sections()[section];
    const auto equal = [&](const ElfRelocation& a, const ElfRelocation& b) {
      return a.offset == b.offset && points_alike(a, b, std::nullopt);
    };
    const bool same = instrumented.size == plain.size && std::ranges::equal(instrumented.bytes, plain.bytes)
                      && std::ranges::equal(instrumented.relocations, plain.relocations, equal);
    return same ? "" : "data in section " + plain.name;
  }

  std::string difference_of_code(std::size_t section) const
  {
    const std::vector<Instruction>& instrumented = m_instrumented.sections()[section].instructions;
    const std::vector<Instruction>& plain = m_plain.sections()[section].instructions;
    const std::string& name = m_plain.sections()[section].name;
    for (std::size_t i = 0; i < std::min(instrumented.size(), plain.size()); ++i) {
      if (!is_same(section, instrumented[i], plain[i])) {
        return "the instruction "s + ZydisMnemonicGetString(plain[i].decoded.head.mnemonic) + " at " + name + "+"
               + std::to_string(plain[i].offset);
      }
    }
    return instrumented.size() == plain.size() ? "" : "the number of instructions in section " + name;
  }

  // Of symbols that can be called or whose address can be taken.
  std::string difference_of_symbols() const
  {
    std::map<std::string, const ElfSymbol*> instrumented;
    for (const ElfSymbol& symbol : m_instrumented.symbols()) {
      instrumented.emplace(symbol.name, &symbol);
    }
    for (const ElfSymbol& symbol : m_plain.symbols()) {
      const bool named = symbol.type != STT_SECTION && symbol.type != STT_FILE && !symbol.name.empty();
      if (named && (!instrumented.contains(symbol.name) || !is_same(*instrumented.at(symbol.name), symbol))) {
        return "the symbol " + symbol.name;
      }
    }
    return {};
  }

  bool is_same(const ElfSymbol& instrumented, const ElfSymbol& plain) const
  {
    const auto a = m_instrumented.place_of(instrumented);
    const auto b = m_plain.place_of(plain);
    if (!a || !b) {
      return !a && !b && instrumented.section == plain.section && instrumented.value == plain.value;
    }
    return a->section == b->section && (is_code(*b) ? is_same(*a, *b) : a->offset == b->offset);
  }

  bool is_same(const Place& instrumented, const Place& plain) const
  {
    const int number = m_plain.number_at(plain);
    return instrumented.section == plain.section && number >= 0 && m_instrumented.number_at(instrumented) == number;
  }

  bool is_code(const Place& place) const { return m_plain.sections()[place.section].is_code; }

  bool is_same(std::size_t section, const Instruction& instrumented, const Instruction& plain) const
  {
    const ZydisDecodedInstruction& a = instrumented.decoded.head;
    const ZydisDecodedInstruction& b = plain.decoded.head;
    if (a.mnemonic != b.mnemonic || instrumented.relocations.size() != plain.relocations.size()) {
      return false;
    }
    for (std::size_t i = 0; i < plain.relocations.size(); ++i) {
      const ElfRelocation& c = instrumented.relocations[i];
      const ElfRelocation& d = plain.relocations[i];
      if (c.offset - instrumented.offset != d.offset - plain.offset || !points_alike(c, d, plain.end() - d.offset)) {
        return false;
      }
    }
    if (b.raw.imm[0].is_relative != 0
        && plain.relocations.empty()) { // a direct jump; its encoding may be longer in one of the two
      return a.raw.imm[0].is_relative != 0 && a.address_width == b.address_width && a.operand_width == b.operand_width
             && is_same(Place{section, instrumented.end() + static_cast<std::uint64_t>(a.raw.imm[0].value.s)},
                        Place{section, plain.end() + static_cast<std::uint64_t>(b.raw.imm[0].value.s)});
    }
    if (a.length != b.length) {
      return false;
    }
    const std::span<const std::byte> bytes_instrumented = bytes_of(m_instrumented, section, instrumented);
    const std::span<const std::byte> bytes_plain = bytes_of(m_plain, section, plain);
    if (!is_relative_to_itself(plain) || !plain.relocations.empty()) {
      return std::ranges::equal(bytes_instrumented, bytes_plain);
    }
    const auto distance = [](const Instruction& of) { // to a position in the same section
      return static_cast<std::uint64_t>(of.decoded.head.raw.disp.value);
    };
    const std::size_t field = b.raw.disp.offset, behind = field + b.raw.disp.size / 8U;
    return is_same(Place{section, instrumented.end() + distance(instrumented)},
                   Place{section, plain.end() + distance(plain)})
           && std::ranges::equal(bytes_instrumented.first(field), bytes_plain.first(field))
           && std::ranges::equal(bytes_instrumented.subspan(behind), bytes_plain.subspan(behind));
  }

  static bool is_relative_to_itself(const Instruction& instruction)
  {
    const std::span operands(instruction.decoded.operands.data(), instruction.decoded.head.operand_count);
    return std::ranges::any_of(operands, [](const ZydisDecodedOperand& operand) {
      return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RIP;
    });
  }

  static std::span<const std::byte> bytes_of(const Object& object, std::size_t section, const Instruction& instruction)
  {
    return object.sections()[section].bytes.subspan(instruction.offset, instruction.decoded.head.length);
  }

  // `to_the_end`: bytes from the relocated field to the end of its instruction; none in data, where distances are
  // relative to the start of a table that is not known here.
  bool points_alike(const ElfRelocation& instrumented, const ElfRelocation& plain,
                    std::optional<std::uint64_t> to_the_end) const
  {
    const ElfSymbol* a = m_instrumented.symbol(instrumented);
    const ElfSymbol* b = m_plain.symbol(plain);
    if (a == nullptr || b == nullptr || instrumented.type != plain.type || a->name != b->name || a->type != b->type) {
      return false;
    }
    const auto to = m_instrumented.place_of(*a);
    const auto where = m_plain.place_of(*b);
    if (!to || !where) {
      return !to && !where && a->section == b->section && instrumented.addend == plain.addend;
    }
    if (to->section != where->section) {
      return false;
    }
    if (!is_code(*where)) {
      return to->offset + static_cast<std::uint64_t>(instrumented.addend)
             == where->offset + static_cast<std::uint64_t>(plain.addend);
    }
    if (is_distance(plain.type) && !to_the_end) {
      return true;
    }
    if (!is_distance(plain.type) && !is_address(plain.type)) { // through the global offset table
      return is_same(*to, *where) && instrumented.addend == plain.addend;
    }
    const std::uint64_t more = is_distance(plain.type) ? *to_the_end : 0;
    return is_same(Place{to->section, to->offset + static_cast<std::uint64_t>(instrumented.addend) + more},
                   Place{where->section, where->offset + static_cast<std::uint64_t>(plain.addend) + more});
  }

  const Object& m_instrumented;
  const Object& m_plain;
};

} // namespace

std::size_t callback_call_bytes(std::span<const std::byte> code)
{
  const auto holds = [&](const auto& wanted, std::size_t at) {
    return std::ranges::equal(wanted, code.subspan(at, wanted.size()), {}, {},
                              [](std::byte byte) { return std::to_integer<int>(byte); });
  };
  return code.size() >= k_call_bytes && holds(k_before, 0) && holds(k_after, k_before.size() + k_address_bytes)
           ? k_call_bytes
           : 0;
}

std::string verify_instrumentation(std::string_view instrumented, std::string_view plain)
{
  std::string trouble;
  const auto plain_object = Object::read(plain, false, trouble);
  if (!plain_object) {
    return trouble;
  }
  for (const ElfSymbol& symbol : plain_object->symbols()) {
    if (is_watch_symbol(symbol.name) || (symbol.section == SHN_UNDEF && symbol.binding == STB_WEAK)) {
      return "it asks for " + symbol.name + ", which exists only when it is watched";
    }
  }
  const auto instrumented_object = Object::read(instrumented, true, trouble);
  if (!instrumented_object) {
    return trouble;
  }
  const std::string difference = Comparison(*instrumented_object, *plain_object).difference();
  return difference.empty() ? ""
                            : "code that depends on where its own instructions lie: the instrumented code differs from "
                              "the timed code in "
                                + difference;
}

} // namespace hone::backend::cpu
