#include "backend/library/installed_libraries.h"

#include "util/util.h"

#include <cstdlib>
#include <sstream>

namespace hone::backend {

fs::path installed_libraries_folder()
{
  const char* const given = std::getenv("HONE_RIVALS");
  return given != nullptr && *given != '\0' ? fs::path(given) : cache_folder() / "rivals";
}

std::vector<InstalledLibrary> installed_libraries(const fs::path& folder)
{
  std::vector<InstalledLibrary> libraries;
  const auto text = read_file(folder / "libraries.txt");
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    InstalledLibrary library;
    std::string file;
    std::error_code error;
    if (words >> library.name >> library.version >> file && fs::exists(folder / file, error)) {
      library.file = fs::absolute(folder / file, error);
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

const std::vector<InstalledLibrary>& installed_libraries()
{
  static const std::vector<InstalledLibrary> libraries = installed_libraries(installed_libraries_folder());
  return libraries;
}

} // namespace hone::backend
