#include "backend/cpu/watch/instrumented_library.h"

#include "backend/cpu/elf_image.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string_view>

namespace hone::backend::cpu {
namespace {

// Of the start-up files that are linked into every library.
constexpr std::array<std::string_view, 4> k_startup_symbols{"__cxa_finalize", "__gmon_start__",
                                                            "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"};

bool is_access_hook(std::string_view symbol)
{
  return symbol.starts_with("__tsan_") || symbol.starts_with("__asan_") || symbol.starts_with("__wrap_")
         || symbol.starts_with("hone_access_callback");
}

// Base address of the program or library that defines a function; nullptr if none does.
const void* module_of(const char* symbol)
{
  Dl_info module{};
  void* address = dlsym(RTLD_DEFAULT, symbol);
  return address != nullptr && dladdr(address, &module) != 0 ? module.dli_fbase : nullptr;
}

// Prefixes of mathematical functions that access memory through a pointer argument and are not wrapped by the watch.
constexpr std::array<std::string_view, 9> k_with_pointers{
  "nan", "totalorder", "canonicalize", "getpayload", "setpayload", "frexp", "modf", "remquo", "sincos"};

bool has_pointers(std::string_view symbol)
{
  return (symbol.starts_with("lgamma") && symbol.ends_with("_r"))
         || std::ranges::any_of(k_with_pointers, [&](std::string_view name) { return symbol.starts_with(name); });
}

// Calls of wrapped functions have other names (__wrap_...). Mathematical functions with pointers that are not wrapped,
// and those of the floating-point environment (fenv.h), are refused.
bool is_callable(const std::string& symbol)
{
  const void* module = module_of(symbol.c_str());
  return std::ranges::find(k_startup_symbols, symbol) != k_startup_symbols.end()
         || (is_access_hook(symbol) && module != nullptr)
         || (module != nullptr && module == module_of("cbrt") && !symbol.starts_with("fe") && !has_pointers(symbol));
}

} // namespace

bool is_watch_symbol(std::string_view symbol)
{
  return is_access_hook(symbol) || std::ranges::find(k_startup_symbols, symbol) != k_startup_symbols.end();
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
    if (is_access_hook(symbol)) {
      return "it defines " + symbol + ", a function of the instrumentation";
    }
  }
  for (const std::string& symbol : elf->local_symbols) {
    if (is_access_hook(symbol)) {
      return "it defines " + symbol + ", a function of the instrumentation";
    }
  }
  for (const std::string& symbol : elf->undefined_symbols) {
    const std::string name = symbol.substr(0, symbol.find('@')); // without the version
    if (!name.empty() && !is_callable(name)) {
      return "it calls " + name
             + ", whose memory accesses are not instrumented; kernels may call <cmath>, memcpy, memset and memcmp";
    }
  }
  return {};
}

} // namespace hone::backend::cpu
