#include "backend/cpu/object_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <elf.h>
#include <string_view>

namespace hone::backend::cpu {
namespace {

constexpr std::string_view k_stack_note = ".note.GNU-stack";
// Prefixes of the sections that compilers emit without exceptions. Their contents are checked after linking, or at run
// time. Unwind tables are not among them: a zero word in one ends the tables of the whole program.
constexpr std::array<std::string_view, 12> k_sections{".text",      ".rodata", ".data",       ".bss",
                                                      ".tdata",     ".tbss",   ".rela.",      ".comment",
                                                      k_stack_note, ".group",  ".init_array", ".fini_array"};
constexpr std::array<std::string_view, 3> k_run_by_themselves{".ctors", ".dtors", ".preinit_array"};
constexpr std::array<std::string_view, 3> k_tables{".symtab", ".strtab", ".shstrtab"};
constexpr std::uint64_t k_mapped_page = 4096;
constexpr std::array k_libraries{"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"};
// Mangled: operator new and delete, and names in namespace std. Also template instances that are not inlined: linkers
// keep the first of all weak definitions in a program.
constexpr std::array<std::string_view, 7> k_standard_names{"_Znw", "_Zna", "_Zdl", "_Zda", "_ZS", "_ZNS", "_ZNKS"};

// C defines the last three bits of the quotient; libraries return more, but not the same number of them.
constexpr std::array<std::string_view, 3> k_left_to_the_library{"remquo", "remquof", "remquol"};

// Writable data is refused after linking, with its names.
bool is_usual(const ElfSection& section)
{
  const auto begins = [&](std::string_view begin) { return section.name.starts_with(begin); };
  const bool writable = (section.flags & SHF_WRITE) != 0 && std::ranges::none_of(k_run_by_themselves, begins);
  return section.name.empty() || writable || std::ranges::find(k_tables, section.name) != k_tables.end()
         || std::ranges::any_of(k_sections, begins);
}

bool is_merged(const ElfSection& section)
{
  return (section.flags & SHF_MERGE) != 0 && (section.flags & SHF_ALLOC) != 0;
}

bool has_addresses_in_code(const ElfSection& section)
{
  const auto is_address = [](const ElfRelocation& one) {
    return one.type == R_X86_64_64 || one.type == R_X86_64_32 || one.type == R_X86_64_32S;
  };
  return (section.flags & SHF_EXECINSTR) != 0 && std::ranges::any_of(section.relocations, is_address);
}

bool is_defined_for_all(const ElfSymbol& symbol)
{
  return symbol.section != SHN_UNDEF && (symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK)
         && !symbol.name.empty();
}

// A library that this program is linked with, too.
bool has(const char* library, const std::string& name)
{
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  const bool found = handle != nullptr && dlsym(handle, name.c_str()) != nullptr;
  if (handle != nullptr) {
    dlclose(handle);
  }
  return found;
}

bool has_library_name(const ElfSymbol& symbol)
{
  const auto begins = [&](std::string_view begin) { return symbol.name.starts_with(begin); };
  return std::ranges::any_of(k_standard_names, begins)
         || std::ranges::any_of(k_libraries, [&](const char* library) { return has(library, symbol.name); });
}

// C reserves these names for compilers, libraries, linkers and start-up code.
bool is_reserved(const std::string& name)
{
  return name.starts_with("__")
         || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] < 'Z'); // _Z: mangled
}

// Mangled names of functions and operators, and of their local entities, outside of std and of reserved namespaces.
// Other mangled names (of vector libraries, of guard variables) belong to others.
bool is_mangled(std::string_view name)
{
  for (const std::string_view begin : {"_ZZ", "_ZNK", "_ZN", "_Z"}) {
    if (name.starts_with(begin)) {
      name.remove_prefix(begin.size());
      const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
      const bool is_kept = name.substr(digits).starts_with("__");
      return !name.empty() && !is_kept && ((name[0] >= '1' && name[0] <= '9') || (name[0] >= 'a' && name[0] <= 'z'));
    }
  }
  return false;
}

bool is_left_to_the_library(const ElfSymbol& symbol)
{
  return std::ranges::find(k_left_to_the_library, symbol.name) != k_left_to_the_library.end();
}

} // namespace

std::string link_side_effect(const ElfImage& object, std::span<const std::string> kernels)
{
  const auto notes = [](const ElfSection& section) { return section.name == k_stack_note; };
  const auto runs = [&](const ElfSection& section) { return notes(section) && (section.flags & SHF_EXECINSTR) != 0; };
  if (std::ranges::none_of(object.sections, notes) || std::ranges::any_of(object.sections, runs)) {
    return "asks for a stack whose contents can be run as code; the whole program would get it";
  }
  const auto others = std::ranges::find_if_not(object.sections, &is_usual);
  if (others != object.sections.end()) {
    return fmt::format(
      "puts something into section {}, which the host program or its tools (debugger, profiler) would read",
      printable_name(others->name));
  }
  if (std::ranges::any_of(object.sections,
                          [](const ElfSection& section) { return section.alignment > k_mapped_page; })) {
    return "asks for an alignment of more than a page, which would apply to the whole program";
  }
  const auto merged = std::ranges::find_if(object.sections, &is_merged);
  if (merged != object.sections.end()) {
    return fmt::format("has constants in section {}, which linkers merge with those of other objects",
                       printable_name(merged->name));
  }
  if (std::ranges::any_of(object.sections, &has_addresses_in_code)) {
    return "has an absolute address in its code, which the loader would have to patch";
  }
  for (const ElfSymbol& symbol : object.table) {
    if (symbol.section == SHN_UNDEF && symbol.binding == STB_WEAK) {
      return fmt::format("asks whether the program that it is linked into has {}", printable_name(symbol.name));
    }
    if (symbol.section == SHN_UNDEF && is_left_to_the_library(symbol)) {
      return fmt::format(
        "calls {}, which gives another quotient in another C library: use remainder, fmod or a division", symbol.name);
    }
    if (is_defined_for_all(symbol) && has_library_name(symbol)) {
      return fmt::format("defines {}, in place of the library's in every program that it is linked into: rename it, "
                         "declare it static, or have it inlined",
                         printable_name(symbol.name));
    }
    if (is_defined_for_all(symbol) && is_reserved(symbol.name)) {
      return fmt::format("defines {}, a name that C keeps for compilers, libraries and start-up code: rename it, or "
                         "declare it static",
                         printable_name(symbol.name));
    }
    const bool is_state = symbol.section >= object.sections.size() // which is refused after linking
                          || (object.sections[symbol.section].flags & SHF_WRITE) != 0;
    if (is_defined_for_all(symbol) && !is_state && !is_mangled(symbol.name)
        && std::ranges::find(kernels, symbol.name) == kernels.end()) {
      return fmt::format(
        "defines {} for the whole program, where libraries and linkers may use the same name: declare it "
        "static",
        printable_name(symbol.name));
    }
  }
  return "";
}

} // namespace hone::backend::cpu
