#include "backend/cpu/watch/code_map.h"

#include "backend/cpu/elf_image.h"
#include "backend/cpu/watch/instruction_effects.h"
#include "backend/cpu/watch/verify_instrumentation.h"

#include <algorithm>
#include <elf.h>
#include <span>

namespace hone::backend::cpu {
namespace {

std::vector<bool> beginnings_in(std::span<const std::byte> code)
{
  std::vector<bool> begins(code.size());
  bool called = false; // a callback sequence ends here
  for (std::size_t offset = 0; offset < code.size();) {
    begins[offset] = !called;
    if (const std::size_t call = callback_call_bytes(code.subspan(offset))) {
      called = true;
      offset += call;
      continue;
    }
    called = false;
    const auto decoded = decode(code.subspan(offset));
    offset += decoded ? decoded->head.length : 1;
  }
  return begins;
}

} // namespace

CodeMap::CodeMap(const std::string& file, std::uintptr_t base)
{
  const auto elf = read_elf(file);
  if (!elf) {
    return;
  }
  for (const ElfSection& section : elf->sections) {
    if ((section.flags & SHF_EXECINSTR) != 0 && section.type == SHT_PROGBITS) {
      const auto code = std::as_bytes(std::span(file).subspan(section.offset, section.size));
      m_sections.push_back({base + section.address, beginnings_in(code)});
    }
  }
}

bool CodeMap::may_jump_to(std::uintptr_t address) const
{
  const auto section = std::ranges::find_if(m_sections, [&](const Section& candidate) {
    return address >= candidate.begin && address - candidate.begin < candidate.begins.size();
  });
  return section == m_sections.end() || section->begins[address - section->begin];
}

} // namespace hone::backend::cpu
