#include "kernel/reference_file.h"

#include "kernel/reference.h"
#include "util/hash.h"

#include <fmt/format.h>

namespace hone::kernel {

namespace {

constexpr std::string_view k_magic = "\nhone-reference 1 ";
constexpr std::string_view k_prefix = "reference-";
constexpr std::string_view k_suffix = ".so";

std::string seal_of(std::string_view library, std::string_view key)
{
  return fmt::format("{}{} {}\n", k_magic, key, sha256(fmt::format("{} {}", key, sha256(library))));
}

} // namespace

fs::path reference_file(const fs::path& cache, std::string_view key)
{
  return cache / fmt::format("{}{}{}", k_prefix, key, k_suffix);
}

std::string seal_reference(std::string library, std::string_view key)
{
  library += seal_of(library, key);
  return library;
}

Result<void> check_seal(std::string_view sealed, std::string_view key)
{
  const std::size_t size = seal_of("", key).size();
  const std::size_t at = sealed.size() < size ? std::string_view::npos : sealed.size() - size;
  if (at == std::string_view::npos || !sealed.substr(at).starts_with(k_magic)) {
    return fail("the reference is cut short: it has no seal");
  }
  if (sealed.substr(at) != seal_of(sealed.substr(0, at), key)) {
    return fail("the reference is not what was compiled: its seal does not fit");
  }
  return {};
}

std::string reference_key_of(const fs::path& file)
{
  const std::string name = file.filename().string();
  const bool ours = name.starts_with(k_prefix) && name.ends_with(k_suffix);
  return ours ? name.substr(k_prefix.size(), name.size() - k_prefix.size() - k_suffix.size()) : std::string();
}

Result<void> check_reference_file(const fs::path& file)
{
  HONE_TRY(const std::string bytes, read_file(file));
  return check_seal(bytes, reference_key_of(file));
}

} // namespace hone::kernel
