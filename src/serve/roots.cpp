#include "serve/roots.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

bool lies_in(const fs::path& path, const fs::path& folder)
{
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  return end == folder.end();
}

Result<Roots> Roots::open(const std::vector<fs::path>& folders)
{
  std::vector<fs::path> roots;
  for (const fs::path& folder : folders.empty() ? std::vector<fs::path>{"."} : folders) {
    std::error_code error;
    fs::path root = fs::canonical(folder, error);
    if (error || !fs::is_directory(root, error)) {
      return fail(fmt::format("'{}' is no folder", folder.string()), "name one that exists", Place{"--root", 0, 0});
    }
    roots.push_back(std::move(root));
  }
  return Roots(std::move(roots));
}

bool Roots::holds(const fs::path& canonical) const
{
  return std::ranges::any_of(m_folders, [&](const fs::path& root) { return lies_in(canonical, root); });
}

Result<fs::path> Roots::inside(const fs::path& path) const
{
  const std::string text = path.string();
  if (text.empty() || text.find('\0') != std::string::npos) {
    return fail("a path is empty or holds a zero byte", "name a file or a folder");
  }
  std::error_code error;
  fs::path real = fs::weakly_canonical(path.is_absolute() ? path : first() / path, error);
  if (error) {
    return fail(fmt::format("cannot follow the path '{}': {}", printable(text), error.message()), "check its folders");
  }
  if (!holds(real)) {
    return fail(fmt::format("'{}' is outside the folders that this server may use", printable(text)),
                "they are the current folder or those of --root; start `hone mcp --root DIR` with another one",
                Place{printable(text), 0, 0});
  }
  return real;
}

Result<fs::path> Roots::folder_inside(const fs::path& path) const
{
  HONE_TRY(const fs::path real, inside(path));
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(real, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    if (entry->is_directory(error) && entry->path().filename().string().starts_with('.')) {
      entry.disable_recursion_pending();
    }
    if (entry->is_symlink(error) && !holds(fs::weakly_canonical(entry->path(), error))) {
      return fail(
        fmt::format("'{}' is a link to the outside of the folders that this server may use", entry->path().string()),
        "copy the file in place of the link", Place{entry->path().string(), 0, 0});
    }
  }
  return real;
}

std::string Roots::shown(const fs::path& canonical) const
{
  return lies_in(canonical, first()) ? canonical.lexically_relative(first()).string() : canonical.string();
}

} // namespace hone::serve
