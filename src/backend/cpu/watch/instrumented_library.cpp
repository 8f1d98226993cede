#include "backend/cpu/watch/instrumented_library.h"

#include "backend/cpu/elf_image.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string_view>

namespace hone::cpu {
namespace {

// By what is linked into every library.
constexpr std::array<std::string_view, 4> k_harmless{"__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable",
                                                     "_ITM_registerTMCloneTable"};

bool tells_accesses(std::string_view symbol)
{
  return symbol.starts_with("__tsan_") || symbol.starts_with("__asan_") || symbol.starts_with("__wrap_")
         || symbol.starts_with("hone_tell");
}

// Where the program or library begins that defines a function; nullptr where nobody does.
const void* home_of(const char* symbol)
{
  Dl_info home{};
  void* address = dlsym(RTLD_DEFAULT, symbol);
  return address != nullptr && dladdr(address, &home) != 0 ? home.dli_fbase : nullptr;
}

// They read or write where they are told, and are not led to the watch; by what their names begin with.
constexpr std::array<std::string_view, 9> k_with_pointers{
  "nan", "totalorder", "canonicalize", "getpayload", "setpayload", "frexp", "modf", "remquo", "sincos"};

bool has_pointers(std::string_view symbol)
{
  return (symbol.starts_with("lgamma") && symbol.ends_with("_r"))
         || std::ranges::any_of(k_with_pointers, [&](std::string_view name) { return symbol.starts_with(name); });
}

// Of the mathematical functions most of those that store through pointers are led to the watch, and have other names
// then; those that are not, and those of the control state (fenv.h), are none that kernels may call.
bool is_harmless(const std::string& symbol)
{
  const void* home = home_of(symbol.c_str());
  return std::ranges::find(k_harmless, symbol) != k_harmless.end() || (tells_accesses(symbol) && home != nullptr)
         || (home != nullptr && home == home_of("cbrt") && !symbol.starts_with("fe") && !has_pointers(symbol));
}

} // namespace

bool is_of_watched_libraries(std::string_view symbol)
{
  return tells_accesses(symbol) || std::ranges::find(k_harmless, symbol) != k_harmless.end();
}

std::string why_unwatchable(const char* library)
{
  std::ifstream file(library, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto elf = read_elf(bytes);
  if (!elf) {
    return elf.error().message;
  }
  for (const auto& [symbol, address] : elf->symbols) {
    if (tells_accesses(symbol)) {
      return "it defines " + symbol + ", by which accesses are told";
    }
  }
  for (const std::string& symbol : elf->local_symbols) {
    if (tells_accesses(symbol)) {
      return "it defines " + symbol + ", by which accesses are told";
    }
  }
  for (const std::string& symbol : elf->undefined_symbols) {
    const std::string name = symbol.substr(0, symbol.find('@')); // without the version
    if (!name.empty() && !is_harmless(name)) {
      return "it calls " + name + ", which may touch memory unseen; kernels have <cmath>, memcpy, memset and memcmp";
    }
  }
  return {};
}

} // namespace hone::cpu
