// The folders that an agent may name paths in. (internal to the serve room)
#pragma once

#include "util/fs.h"

#include <vector>

namespace hone::serve {

class Roots {
public:
  // Each must be a folder. None given: the current one.
  static Result<Roots> open(const std::vector<fs::path>& folders);

  const std::vector<fs::path>& folders() const { return m_folders; }
  const fs::path& first() const { return m_folders.front(); }
  // Where a path leads, links followed; relative ones begin in the first root. It need not exist. An error where that
  // is outside the roots.
  Result<fs::path> inside(const fs::path& path) const;
  bool holds(const fs::path& canonical) const;
  // inside(), of a folder that has no links to the outside in it either.
  Result<fs::path> folder_inside(const fs::path& path) const;
  // As people write it: relative to the first root where it lies there.
  std::string shown(const fs::path& canonical) const;

private:
  explicit Roots(std::vector<fs::path> folders) : m_folders(std::move(folders)) {}
  std::vector<fs::path> m_folders; // canonical
};

// Whether `path` is `folder` or below it; both canonical.
bool lies_in(const fs::path& path, const fs::path& folder);

} // namespace hone::serve
