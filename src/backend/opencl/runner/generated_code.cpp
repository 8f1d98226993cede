#include "backend/opencl/runner/generated_code.h"

#include <dlfcn.h>
#include <filesystem>
#include <vector>

namespace hone::backend::runner {
namespace {

std::vector<void*> g_loaded;

template <class Use> void for_each_object(const char* folder, Use use)
{
  std::error_code ignored;
  std::vector<std::filesystem::path> objects;
  for (std::filesystem::recursive_directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().extension() == ".so") {
      objects.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& object : objects) {
    use(object);
  }
}

} // namespace

void load_generated_code(const char* folder)
{
  for_each_object(folder, [](const std::filesystem::path& object) {
    if (void* const loaded = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      g_loaded.push_back(loaded);
    }
  });
}

void forget_generated_code(const char* folder)
{
  for (void* const loaded : g_loaded) {
    dlclose(loaded);
  }
  g_loaded.clear();
  for_each_object(folder, [](const std::filesystem::path& object) {
    std::error_code ignored;
    std::filesystem::remove(object, ignored);
  });
}

} // namespace hone::backend::runner
