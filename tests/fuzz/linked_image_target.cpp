// What the linker in the jail made of a candidate: a file whose tables may lead anywhere.
#include "backend/cpu/elf_image.h"
#include "fuzz_target.h"

#include <cstring>
#include <elf.h>

namespace hone::fuzz {

namespace {

template <class T> void append(std::string& to, const T& value)
{
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The smallest file with a symbol: header, three section headers (none, symbols, names), their contents.
std::vector<std::string> seeds()
{
  const std::string names("\0matmul\0", 8);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_DYN;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_shoff = sizeof head;
  head.e_ehsize = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  head.e_shstrndx = 2;
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = sizeof head + 3 * sizeof(Elf64_Shdr);
  symbols.sh_size = 2 * sizeof(Elf64_Sym);
  symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_link = 2;
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = symbols.sh_offset + symbols.sh_size;
  strings.sh_size = names.size();
  Elf64_Sym symbol{};
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  symbol.st_value = 0x1000;
  std::string file;
  append(file, head);
  append(file, Elf64_Shdr{});
  append(file, symbols);
  append(file, strings);
  append(file, Elf64_Sym{});
  append(file, symbol);
  return {file + names};
}

void run(std::string_view input)
{
  const Result<backend::cpu::ElfImage> image = backend::cpu::read_elf(input);
  if (!image) {
    return check_error(image.error());
  }
  for (const backend::cpu::ElfSection& section : image->sections) {
    if (section.type != SHT_NOBITS && section.type != SHT_NULL
        && (section.offset > input.size() || section.size > input.size() - section.offset)) {
      promise_broken("a section that leads out of its file");
    }
  }
}

} // namespace

const Target& linked_image_target()
{
  static const Target k_target = {"linked-image", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
