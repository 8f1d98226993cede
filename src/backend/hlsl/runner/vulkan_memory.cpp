#include "backend/hlsl/runner/vulkan_memory.h"

#include <algorithm>
#include <cstring>

namespace hone::backend::runner {

namespace {

constexpr std::uint64_t k_window = 16 << 20; // bytes that are copied at a time

constexpr VkMemoryPropertyFlags k_visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

} // namespace

const char* VulkanMemory::said(std::string trouble)
{
  m_trouble = std::move(trouble);
  return m_trouble.empty() ? nullptr : m_trouble.c_str();
}

std::string VulkanMemory::allocate(std::uint64_t bytes, bool local, Allocation& out)
{
  const VulkanApi& api = m_device.api();
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (const VkResult result = api.CreateBuffer(m_device.device(), &info, nullptr, &out.handle); result != VK_SUCCESS) {
    return vulkan_trouble("a buffer could not be made on the device", result);
  }
  VkMemoryRequirements needs = {};
  api.GetBufferMemoryRequirements(m_device.device(), out.handle, &needs);
  const VkPhysicalDeviceMemoryProperties& memory = m_device.memory();
  const VkMemoryPropertyFlags best = local ? VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT} : k_visible;
  std::uint32_t chosen = memory.memoryTypeCount;
  for (const VkMemoryPropertyFlags wanted : {best | k_visible, best}) { // one that both see, if there is one
    for (std::uint32_t i = 0; i < memory.memoryTypeCount && chosen == memory.memoryTypeCount; ++i) {
      const bool fits = (needs.memoryTypeBits >> i & 1) != 0;
      chosen = fits && (memory.memoryTypes[i].propertyFlags & wanted) == wanted ? i : chosen;
    }
  }
  if (chosen == memory.memoryTypeCount) {
    return "the device has no memory for buffers";
  }
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = chosen;
  VkResult result = api.AllocateMemory(m_device.device(), &allocation, nullptr, &out.memory);
  result = result == VK_SUCCESS ? api.BindBufferMemory(m_device.device(), out.handle, out.memory, 0) : result;
  const bool visible = (memory.memoryTypes[chosen].propertyFlags & k_visible) == k_visible;
  if (result == VK_SUCCESS && visible) {
    result = api.MapMemory(m_device.device(), out.memory, 0, VK_WHOLE_SIZE, 0, &out.mapped);
  }
  return result == VK_SUCCESS ? "" : vulkan_trouble("a buffer could not be made on the device", result);
}

void VulkanMemory::free(Allocation& allocation)
{
  if (allocation.handle != VK_NULL_HANDLE) {
    m_device.api().DestroyBuffer(m_device.device(), allocation.handle, nullptr);
  }
  if (allocation.memory != VK_NULL_HANDLE) {
    m_device.api().FreeMemory(m_device.device(), allocation.memory, nullptr);
  }
  allocation = {};
}

const char* VulkanMemory::make(std::uint32_t, std::uint64_t band, std::uint64_t bytes, bool)
{
  Block& block = m_blocks.emplace_back();
  block.band = band;
  block.bytes = bytes;
  std::string trouble = allocate(2 * band + bytes, true, block.buffer);
  if (trouble.empty() && block.buffer.mapped == nullptr && m_window.handle == VK_NULL_HANDLE) {
    trouble = allocate(k_window, false, m_window);
  }
  return said(std::move(trouble));
}

std::string VulkanMemory::copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                               std::uint64_t bytes)
{
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (std::string trouble = m_device.new_commands(commands); !trouble.empty()) {
    return trouble;
  }
  const VkBufferCopy region{from_offset, to_offset, bytes};
  m_device.api().CmdCopyBuffer(commands, from, to, 1, &region);
  return m_device.submit(commands);
}

const char* VulkanMemory::write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes)
{
  const Allocation& to = m_blocks[block].buffer;
  if (to.mapped != nullptr) {
    std::memcpy(static_cast<char*>(to.mapped) + offset, from, bytes);
    return nullptr;
  }
  for (std::uint64_t done = 0; done < bytes; done += k_window) {
    const std::uint64_t part = std::min(k_window, bytes - done);
    std::memcpy(m_window.mapped, static_cast<const char*>(from) + done, part);
    if (std::string trouble = copy(m_window.handle, 0, to.handle, offset + done, part); !trouble.empty()) {
      return said(std::move(trouble));
    }
  }
  return nullptr;
}

const char* VulkanMemory::read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes)
{
  const Allocation& from = m_blocks[block].buffer;
  if (from.mapped != nullptr) {
    std::memcpy(to, static_cast<const char*>(from.mapped) + offset, bytes);
    return nullptr;
  }
  for (std::uint64_t done = 0; done < bytes; done += k_window) {
    const std::uint64_t part = std::min(k_window, bytes - done);
    if (std::string trouble = copy(from.handle, offset + done, m_window.handle, 0, part); !trouble.empty()) {
      return said(std::move(trouble));
    }
    std::memcpy(static_cast<char*>(to) + done, m_window.mapped, part);
  }
  return nullptr;
}

VkDescriptorBufferInfo VulkanMemory::range(std::uint32_t block) const
{
  return {m_blocks[block].buffer.handle, m_blocks[block].band, m_blocks[block].bytes};
}

void VulkanMemory::release()
{
  for (Block& block : m_blocks) {
    free(block.buffer);
  }
  m_blocks.clear();
}

} // namespace hone::backend::runner
