#include "backend/hlsl/runner/vulkan_api.h"

#include <dlfcn.h>

namespace hone::backend::runner {

const char* open_vulkan(VulkanApi& api)
{
  void* const library = dlopen(k_vulkan_loader, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return "libvulkan.so.1 is not installed";
  }
  api.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (api.GetInstanceProcAddr == nullptr) {
    return "libvulkan.so.1 has no vkGetInstanceProcAddr";
  }
  api.CreateInstance = reinterpret_cast<PFN_vkCreateInstance>(api.GetInstanceProcAddr(nullptr, "vkCreateInstance"));
  return api.CreateInstance == nullptr ? "libvulkan.so.1 has no vkCreateInstance" : nullptr;
}

const char* load_functions(VulkanApi& api, VkInstance instance)
{
  const char* missing = nullptr;
#define HONE_VULKAN_LOAD(name)                                                                                         \
  api.name = reinterpret_cast<PFN_vk##name>(api.GetInstanceProcAddr(instance, "vk" #name));                            \
  missing = api.name == nullptr ? "vk" #name " is missing: Vulkan 1.1 is needed" : missing;
  HONE_VULKAN_FUNCTIONS(HONE_VULKAN_LOAD)
#undef HONE_VULKAN_LOAD
  return missing;
}

} // namespace hone::backend::runner
