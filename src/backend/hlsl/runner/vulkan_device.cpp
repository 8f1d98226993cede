#include "backend/hlsl/runner/vulkan_device.h"

#include <cstring>

namespace hone::backend::runner {

namespace {

// A GPU of its own before one that shares memory, any GPU before a CPU.
int rank_of(VkPhysicalDeviceType type)
{
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 4;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 3;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 1;
  default:
    return 0;
  }
}

} // namespace

std::string vulkan_trouble(const std::string& what, VkResult result)
{
  const char* words = result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? "the device cannot allocate that much memory"
                      : result == VK_ERROR_OUT_OF_HOST_MEMORY ? "out of memory"
                      : result == VK_ERROR_DEVICE_LOST        ? "the device was lost"
                                                              : "";
  const std::string code = "Vulkan error " + std::to_string(result);
  return what + ": " + (*words == '\0' ? code : words + (" (" + code + ")"));
}

std::string VulkanDevice::open(bool validation)
{
  if (const char* missing = open_vulkan(m_api)) {
    return missing;
  }
  const char* const layer = "VK_LAYER_KHRONOS_validation";
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "hone";
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validation ? 1 : 0;
  info.ppEnabledLayerNames = &layer;
  if (const VkResult result = m_api.CreateInstance(&info, nullptr, &m_instance); result != VK_SUCCESS) {
    return result == VK_ERROR_LAYER_NOT_PRESENT ? "the layer VK_LAYER_KHRONOS_validation is not installed"
                                                : vulkan_trouble("no Vulkan instance could be made", result);
  }
  if (const char* missing = load_functions(m_api, m_instance)) {
    return missing;
  }
  if (std::string trouble = choose_device(); !trouble.empty()) {
    return trouble;
  }
  return make_device();
}

std::string VulkanDevice::choose_device()
{
  std::uint32_t count = 0;
  m_api.EnumeratePhysicalDevices(m_instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  m_api.EnumeratePhysicalDevices(m_instance, &count, devices.data());
  int best = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties properties = {};
    m_api.GetPhysicalDeviceProperties(devices[i], &properties);
    if (rank_of(properties.deviceType) > best && properties.apiVersion >= VK_API_VERSION_1_1) {
      best = rank_of(properties.deviceType);
      m_physical = devices[i];
    }
  }
  if (m_physical == VK_NULL_HANDLE) {
    return "there is no device that knows Vulkan 1.1";
  }
  m_subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &m_subgroups;
  m_api.GetPhysicalDeviceProperties2(m_physical, &properties);
  m_properties = properties.properties;
  m_api.GetPhysicalDeviceMemoryProperties(m_physical, &m_memory);
  return "";
}

std::string VulkanDevice::make_device()
{
  std::uint32_t count = 0;
  m_api.GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  m_api.GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, families.data());
  m_family = count;
  for (std::uint32_t i = 0; i < count && m_family == count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) {
      m_family = i;
      m_timestamp_bits = families[i].timestampValidBits;
    }
  }
  if (m_family == count) {
    return "the device has no queue for compute work";
  }
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = m_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  // Everything that the device has of these: shaders say what they need.
  VkPhysicalDevice16BitStorageFeatures storage = {};
  storage.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &storage;
  m_api.GetPhysicalDeviceFeatures2(m_physical, &features);
  features.features.robustBufferAccess = VK_FALSE; // it would hide accesses out of bounds
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  if (const VkResult result = m_api.CreateDevice(m_physical, &info, nullptr, &m_device); result != VK_SUCCESS) {
    return vulkan_trouble("no Vulkan device could be made", result);
  }
  m_api.GetDeviceQueue(m_device, m_family, 0, &m_queue);
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = m_family;
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkResult result = m_api.CreateCommandPool(m_device, &pool, nullptr, &m_pool);
  result = result == VK_SUCCESS ? m_api.CreateFence(m_device, &fence, nullptr, &m_fence) : result;
  return result == VK_SUCCESS ? "" : vulkan_trouble("no command pool could be made", result);
}

std::string VulkanDevice::new_commands(VkCommandBuffer& commands)
{
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = m_pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  VkResult result = m_api.AllocateCommandBuffers(m_device, &info, &commands);
  result = result == VK_SUCCESS ? m_api.BeginCommandBuffer(commands, &begin) : result;
  return result == VK_SUCCESS ? "" : vulkan_trouble("no commands could be recorded", result);
}

std::string VulkanDevice::submit(VkCommandBuffer commands)
{
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  VkResult result = m_api.QueueSubmit(m_queue, 1, &info, m_fence);
  result = result == VK_SUCCESS ? m_api.WaitForFences(m_device, 1, &m_fence, VK_TRUE, ~std::uint64_t{0}) : result;
  result = result == VK_SUCCESS ? m_api.ResetFences(m_device, 1, &m_fence) : result;
  return result == VK_SUCCESS ? "" : vulkan_trouble("a call did not finish", result);
}

} // namespace hone::backend::runner
