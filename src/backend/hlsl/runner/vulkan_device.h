// One Vulkan device with a queue for compute work, and memory on it.
#pragma once

#include "backend/hlsl/runner/vulkan_api.h"
#include "backend/runner/device_buffers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone::backend::runner {

// Functions return "", or what went wrong.
class VulkanDevice {
public:
  // The fastest kind of device that the loader knows: a GPU before a CPU. `validation`: with Khronos' layer.
  std::string open(bool validation);

  const VulkanApi& api() const { return m_api; }
  VkDevice device() const { return m_device; }
  VkQueue queue() const { return m_queue; }
  const VkPhysicalDeviceProperties& properties() const { return m_properties; }
  const VkPhysicalDeviceSubgroupProperties& subgroups() const { return m_subgroups; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return m_memory; }
  VkCommandPool pool() const { return m_pool; }
  std::uint32_t timestamp_bits() const { return m_timestamp_bits; }

  // Carries out what has been recorded, and waits for it.
  std::string submit(VkCommandBuffer commands);
  std::string new_commands(VkCommandBuffer& commands);

private:
  std::string choose_device();
  std::string make_device();

  VulkanApi m_api;
  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties m_properties = {};
  VkPhysicalDeviceSubgroupProperties m_subgroups = {};
  VkPhysicalDeviceMemoryProperties m_memory = {};
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkFence m_fence = VK_NULL_HANDLE;
  std::uint32_t m_family = 0;
  std::uint32_t m_timestamp_bits = 0;
};

std::string vulkan_trouble(const std::string& what, VkResult result);

} // namespace hone::backend::runner
