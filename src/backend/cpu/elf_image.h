// Reads what the linker made of a candidate. The file comes out of the jail: nothing in it is trusted. (internal)
#pragma once

#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cpu {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0, offset = 0, size = 0;
};

struct ElfImage {
  std::vector<ElfSection> sections;
  std::map<std::string, std::uint64_t> symbols; // defined global ones: name -> address
  std::vector<std::string> local_symbols, undefined_symbols;
};

// Errors: not a 64-bit x86 ELF file, or one whose tables or sections lead out of it.
Result<ElfImage> read_elf(std::string_view bytes);

} // namespace hone::cpu
