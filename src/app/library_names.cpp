#include "app/library_names.h"

#include "backend/library/library.h"
#include "util/text.h"

#include <array>
#include <cstdlib>
#include <regex>
#include <vector>

namespace hone::app {

namespace {

struct KnownLibrary {
  const char* name;
  const char* title;
  const char* file;    // as the loader is asked for it; null: a list names it (backend/library/library.h)
  const char* version; // in the name of the file itself
};

constexpr std::array k_libraries{
  KnownLibrary{"openblas", "OpenBLAS", "libopenblas.so.0", R"(libopenblas\w*-r([0-9]+\.[0-9]+[0-9.]*)\.so)"},
  KnownLibrary{"onednn", "oneDNN", "libdnnl.so.2", R"(libdnnl\.so\.([0-9]+\.[0-9]+[0-9.]*))"},
  // The number behind libblis.so is that of its interface.
  KnownLibrary{"blis", "BLIS", "libblis.so.4", R"(libblis-([0-9]+\.[0-9]+[0-9.]*)\.so.*)"},
  KnownLibrary{"openblas-newest", "OpenBLAS", nullptr, nullptr},
  KnownLibrary{"onednn-newest", "oneDNN", nullptr, nullptr},
  KnownLibrary{"onednn-3", "oneDNN", nullptr, nullptr},
  KnownLibrary{"mkl", "oneMKL", nullptr, nullptr},
  KnownLibrary{"libxsmm", "libxsmm", nullptr, nullptr},
};

constexpr std::string_view k_core_type = "OPENBLAS_CORETYPE=";

std::vector<fs::path> loader_folders()
{
  std::vector<fs::path> folders;
  if (const char* first = std::getenv("LD_LIBRARY_PATH")) {
    for (const std::string& folder : split(first, ':')) {
      folders.emplace_back(folder);
    }
  }
  for (const char* folder :
       {"/usr/local/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

std::string without_core_type(std::string_view setting)
{
  return std::string(setting.starts_with(k_core_type) ? setting.substr(k_core_type.size()) : setting);
}

} // namespace

LibraryVersions library_versions()
{
  LibraryVersions versions = library_versions(loader_folders());
  for (const backend::FoundLibrary& library : backend::libraries_found()) {
    if (!library.version.empty()) {
      versions.try_emplace(library.name, library.version);
    }
  }
  return versions;
}

LibraryVersions library_versions(std::span<const fs::path> folders)
{
  LibraryVersions versions;
  for (const KnownLibrary& library : k_libraries) {
    for (const fs::path& folder : library.file != nullptr ? folders : std::span<const fs::path>()) {
      std::error_code error;
      const fs::path file = fs::canonical(folder / library.file, error);
      if (error) {
        continue;
      }
      std::smatch parts;
      const std::string name = file.filename().string();
      if (std::regex_match(name, parts, std::regex(library.version))) {
        versions[library.name] = parts[1].str();
      }
      break; // the loader takes the first
    }
  }
  return versions;
}

std::string library_text(const std::string& name, const std::string& setting, const LibraryVersions& versions)
{
  std::string text = name;
  for (const KnownLibrary& library : k_libraries) {
    if (name == library.name) {
      text = library.title;
    }
  }
  if (const auto version = versions.find(name); version != versions.end()) {
    text += " " + version->second;
  }
  const std::string shown = without_core_type(setting);
  return shown.empty() ? text : text + ", " + shown;
}

std::string short_library_text(std::string_view name_and_setting)
{
  const std::size_t open = name_and_setting.find(" (");
  if (open == std::string_view::npos || !name_and_setting.ends_with(")")) {
    return std::string(name_and_setting);
  }
  const std::string_view setting = name_and_setting.substr(open + 2, name_and_setting.size() - open - 3);
  return std::string(name_and_setting.substr(0, open)) + " " + without_core_type(setting);
}

} // namespace hone::app
