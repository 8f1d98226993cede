#include "serve/kernel_folders.h"

#include <algorithm>

namespace hone::serve {

namespace {

constexpr int k_deepest = 4;
constexpr std::size_t k_most_kernels = 300;

void add_kernels(const fs::path& folder, int depth, std::vector<fs::path>& into)
{
  std::error_code error;
  if (fs::exists(folder / "kernel.toml", error)) {
    into.push_back(folder);
  }
  std::vector<fs::path> below;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    if (depth < k_deepest && !entry->is_symlink(error) && entry->is_directory(error)
        && !entry->path().filename().string().starts_with('.')) {
      below.push_back(entry->path());
    }
  }
  std::ranges::sort(below);
  for (const fs::path& one : below) {
    if (into.size() < k_most_kernels) {
      add_kernels(one, depth + 1, into);
    }
  }
}

} // namespace

KernelFolders kernel_folders(const Roots& roots)
{
  KernelFolders found;
  for (const fs::path& root : roots.folders()) {
    add_kernels(root, 0, found.own);
  }
  found.cut = found.own.size() >= k_most_kernels;
  std::error_code error;
  const fs::path shipped = fs::weakly_canonical(share_folder() / "kernels", error);
  if (!roots.holds(shipped)) { // else they are among the others
    add_kernels(shipped, k_deepest - 1, found.shipped);
  }
  return found;
}

} // namespace hone::serve
