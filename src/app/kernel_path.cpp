#include "app/kernel_path.h"

namespace hone::app {

fs::path kernel_path(const std::string& given)
{
  std::error_code ignored;
  const fs::path shipped = share_folder() / "kernels" / given;
  return !fs::exists(given, ignored) && fs::exists(shipped / "kernel.toml", ignored) ? shipped : fs::path(given);
}

fs::path folder_of(const fs::path& path)
{
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path : path.parent_path();
}

} // namespace hone::app
