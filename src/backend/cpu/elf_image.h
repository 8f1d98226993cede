// Reads the ELF file of a candidate, linked or not. The file comes out of the jail: nothing in it is trusted.
// (internal)
#pragma once

#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend::cpu {

struct ElfRelocation {
  std::uint64_t offset = 0; // into its section
  std::uint32_t type = 0;   // R_X86_64_...
  std::uint32_t symbol = 0; // index into the table
  std::int64_t addend = 0;
};

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0, offset = 0, size = 0, alignment = 0;
  std::vector<ElfRelocation> relocations; // of objects that are not linked, in ascending order
};

struct ElfSymbol {
  std::string name;
  std::uint8_t type = 0;     // STT_...
  std::uint8_t binding = 0;  // STB_...
  std::uint16_t section = 0; // index, or SHN_...
  std::uint64_t value = 0;
};

struct ElfImage {
  std::vector<ElfSection> sections;
  std::map<std::string, std::uint64_t> symbols; // defined global ones: name -> address
  std::vector<std::string> local_symbols, undefined_symbols;
  std::vector<ElfSymbol> table; // all of them, as they come
};

// Errors: not a 64-bit x86 ELF file, or one whose tables or sections lead out of it.
Result<ElfImage> read_elf(std::string_view bytes);

// A section's or symbol's name for people: shortened, printable characters only.
std::string printable_name(std::string_view name);

} // namespace hone::backend::cpu
