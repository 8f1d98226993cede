#include "backend/opencl/runner/generated_code.h"

#include <dlfcn.h>
#include <filesystem>

namespace hone::runner {

void load_generated_code(const char* folder)
{
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().extension() == ".so") {
      dlopen(entry->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
}

} // namespace hone::runner
