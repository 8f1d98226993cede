#include "backend/cpu/elf_image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <utility>

namespace hone::backend::cpu {

namespace {

constexpr std::size_t k_most_sections = 4096;
constexpr std::size_t k_most_symbols = 100'000;
constexpr std::size_t k_most_relocations = 1'000'000; // of a section

// A table entry by value: the bytes need not be aligned.
template <class T> std::optional<T> read_at(std::string_view bytes, std::uint64_t offset)
{
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The NUL-terminated name at `offset` of a string table; "" when it leads out.
std::string name_at(std::string_view bytes, const Elf64_Shdr& table, std::uint32_t offset)
{
  if (table.sh_offset > bytes.size() || table.sh_size > bytes.size() - table.sh_offset || offset >= table.sh_size) {
    return {};
  }
  const std::string_view rest = bytes.substr(table.sh_offset, table.sh_size).substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::unexpected<Error> malformed(const char* what)
{
  return fail(std::string("the linker's output is malformed: ") + what);
}

bool is_ours(const Elf64_Ehdr& header)
{
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64
         && header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64
         && header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum <= k_most_sections
         && header.e_shstrndx < header.e_shnum;
}

bool leads_out(const Elf64_Shdr& section, std::uint64_t file_bytes)
{
  const bool in_file = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
  return in_file && (section.sh_offset > file_bytes || section.sh_size > file_bytes - section.sh_offset);
}

Result<void> read_symbols(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfImage& image)
{
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  if (count > k_most_symbols) {
    return malformed("too many symbols");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = read_at<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) {
      return malformed("symbols lie outside the file");
    }
    std::string name = name_at(bytes, names, symbol->st_name);
    image.table.push_back(
      {name, ELF64_ST_TYPE(symbol->st_info), ELF64_ST_BIND(symbol->st_info), symbol->st_shndx, symbol->st_value});
    if (symbol->st_shndx == SHN_UNDEF) {
      image.undefined_symbols.push_back(std::move(name));
    } else if (ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL) {
      image.symbols.emplace(std::move(name), symbol->st_value);
    } else {
      image.local_symbols.push_back(std::move(name));
    }
  }
  return {};
}

Result<void> read_relocations(std::string_view bytes, const Elf64_Shdr& table, ElfSection& section)
{
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Rela);
  if (count > k_most_relocations) {
    return malformed("too many relocations");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = read_at<Elf64_Rela>(bytes, table.sh_offset + i * sizeof(Elf64_Rela));
    if (!entry) {
      return malformed("relocations lie outside the file");
    }
    section.relocations.push_back({entry->r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info)),
                                   static_cast<std::uint32_t>(ELF64_R_SYM(entry->r_info)), entry->r_addend});
  }
  std::ranges::stable_sort(section.relocations, {}, &ElfRelocation::offset);
  return {};
}

} // namespace

Result<ElfImage> read_elf(std::string_view bytes)
{
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || !is_ours(*header)) {
    return malformed("not an ELF file for this machine");
  }
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) {
      return malformed("sections lie outside the file");
    }
    headers.push_back(*section);
  }
  ElfImage image;
  for (const Elf64_Shdr& section : headers) {
    if (leads_out(section, bytes.size())) {
      return malformed("a section lies outside the file");
    }
    image.sections.push_back({name_at(bytes, headers[header->e_shstrndx], section.sh_name),
                              section.sh_type,
                              section.sh_flags,
                              section.sh_addr,
                              section.sh_offset,
                              section.sh_size,
                              section.sh_addralign,
                              {}});
    if (section.sh_type == SHT_SYMTAB && section.sh_link < headers.size()) {
      HONE_CHECK(read_symbols(bytes, section, headers[section.sh_link], image));
    }
  }
  for (const Elf64_Shdr& section : headers) {
    if (section.sh_type == SHT_RELA && header->e_type == ET_REL && section.sh_info < image.sections.size()) {
      HONE_CHECK(read_relocations(bytes, section, image.sections[section.sh_info]));
    }
  }
  return image;
}

std::string printable_name(std::string_view name)
{
  constexpr std::size_t k_most = 40;
  std::string printable(name.substr(0, k_most));
  std::erase_if(printable, [](char c) { return c < ' ' || c > '~'; });
  return printable;
}

} // namespace hone::backend::cpu
