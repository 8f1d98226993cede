// Where kernels lie: below the roots, and shipped ones. (internal to the serve room)
#pragma once

#include "serve/roots.h"

namespace hone::serve {

struct KernelFolders {
  std::vector<fs::path> own;     // below the roots, in the order of their names
  std::vector<fs::path> shipped; // of Hone, where they do not lie below the roots
  bool cut = false;              // there are more
};

// Folders with a kernel.toml; hidden folders and links are not looked into.
KernelFolders kernel_folders(const Roots& roots);

} // namespace hone::serve
