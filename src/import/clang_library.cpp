#include "import/clang_library.h"

#include <fmt/format.h>

#include <array>
#include <dlfcn.h>

namespace hone::import {

namespace {

// The version that is tested first; the others have the same interface.
constexpr std::array<const char*, 7> k_file_names{"libclang-14.so.1", "libclang-15.so.1", "libclang-16.so.1",
                                                  "libclang-17.so.1", "libclang-18.so.1", "libclang-19.so.1",
                                                  "libclang.so.1"};

void* open_library()
{
  for (const char* name : k_file_names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  return nullptr;
}

Result<ClangLibrary> load()
{
  void* const library = open_library();
  if (library == nullptr) {
    return fail("reading C needs the library libclang, and none of its versions 14 to 19 is installed",
                "apt-get install libclang1-14");
  }
  ClangLibrary out;
  const char* missing = nullptr;
#define HONE_CLANG_LOAD(name)                                                                                          \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, "clang_" #name));                                     \
  missing = out.name == nullptr ? "clang_" #name : missing;
  HONE_CLANG_FUNCTIONS(HONE_CLANG_LOAD)
#undef HONE_CLANG_LOAD
  if (missing != nullptr) {
    return fail(fmt::format("the libclang on this machine has no function {}", missing),
                "apt-get install libclang1-14");
  }
  return out;
}

} // namespace

std::string ClangLibrary::text(CXString string) const
{
  const char* const bytes = getCString(string);
  std::string out = bytes == nullptr ? "" : bytes;
  disposeString(string);
  return out;
}

Result<const ClangLibrary*> clang_library()
{
  static const Result<ClangLibrary> library = load();
  if (!library) {
    return std::unexpected(library.error());
  }
  return &*library;
}

} // namespace hone::import
