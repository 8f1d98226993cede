#include "backend/library/library_facts.h"

#include <array>
#include <cctype>
#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

template <class Function> Function* found(void* library, const char* name)
{
  return reinterpret_cast<Function*>(dlsym(library, name));
}

std::string first_number(const std::string& text)
{
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    std::size_t end = begin;
    while (digit(end) || (end > begin && text[end] == '.' && digit(end + 1))) {
      ++end;
    }
    if (text.substr(begin, end - begin).find('.') != std::string::npos) {
      return text.substr(begin, end - begin);
    }
    begin = end > begin ? end : begin;
  }
  return text;
}

std::string of_openblas(void* library, const std::string& prefix)
{
  using Text = const char*();
  const auto config = found<Text>(library, (prefix + "openblas_get_config").c_str());
  const auto core = found<Text>(library, (prefix + "openblas_get_corename").c_str());
  return config == nullptr ? "" : first_number(config()) + (core == nullptr ? "" : std::string(", ") + core());
}

std::string of_mkl(void* library)
{
  const auto version = found<void(char*, int)>(library, "MKL_Get_Version_String");
  if (version == nullptr) {
    return {};
  }
  std::array<char, 256> text{};
  version(text.data(), int(text.size()) - 1);
  const std::string words = text.data(); // "... Version 2026.2-Product Build ... for Intel(R) 64 ..."
  return first_number(words);
}

std::string of_onednn(void* library)
{
  struct Version {
    int major, minor, patch;
  };
  const auto version = found<const Version*()>(library, "dnnl_version");
  const auto isa = found<int()>(library, "dnnl_get_effective_cpu_isa");
  if (version == nullptr) {
    return {};
  }
  const Version* const is = version();
  constexpr int k_avx512 = 0x27; // dnnl_cpu_isa_avx512_core, which the later ones contain
  const bool wide = isa != nullptr && (isa() & k_avx512) == k_avx512;
  return std::to_string(is->major) + "." + std::to_string(is->minor) + "." + std::to_string(is->patch)
         + (wide ? ", AVX-512" : "");
}

std::string of_blis(void* library)
{
  const auto version = found<const char*()>(library, "bli_info_get_version_str");
  return version == nullptr ? "" : version();
}

std::string of_xsmm(void* library)
{
  const auto initialise = found<void()>(library, "libxsmm_init");
  const auto target = found<const char*()>(library, "libxsmm_get_target_arch");
  if (initialise == nullptr || target == nullptr) {
    return {};
  }
  initialise();
  return target();
}

} // namespace

std::string facts_of_library(void* library)
{
  for (const std::string& facts : {of_openblas(library, ""), of_openblas(library, "scipy_"), of_mkl(library),
                                   of_onednn(library), of_blis(library), of_xsmm(library)}) {
    if (!facts.empty()) {
      return facts;
    }
  }
  return {};
}

} // namespace hone::backend::runner
