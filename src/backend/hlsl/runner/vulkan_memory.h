// Blocks of memory of a Vulkan device.
#pragma once

#include "backend/hlsl/runner/vulkan_device.h"
#include "backend/runner/device_buffers.h"

#include <string>
#include <vector>

namespace hone::backend::runner {

// Memory that the device and this process see where there is such a kind, else the device's own with a window for
// copies.
class VulkanMemory : public DeviceMemory {
public:
  explicit VulkanMemory(VulkanDevice& device) : m_device(device) {}

  const char* make(std::uint32_t number, std::uint64_t band, std::uint64_t bytes, bool writable) override;
  const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void release() override;

  // What lies between the bands: for a descriptor.
  VkDescriptorBufferInfo range(std::uint32_t block) const;
  VkBuffer buffer(std::uint32_t block) const { return m_blocks[block].buffer.handle; }
  std::uint64_t band(std::uint32_t block) const { return m_blocks[block].band; }

private:
  struct Allocation {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* mapped = nullptr; // nullptr: only the device sees it
  };
  struct Block {
    Allocation buffer;
    std::uint64_t band = 0, bytes = 0;
  };

  // "" or what went wrong. `local`: the device's own memory is wanted.
  std::string allocate(std::uint64_t bytes, bool local, Allocation& out);
  void free(Allocation& allocation);
  std::string copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset, std::uint64_t bytes);
  const char* said(std::string trouble);

  VulkanDevice& m_device;
  std::vector<Block> m_blocks;
  Allocation m_window;
  std::string m_trouble;
};

} // namespace hone::backend::runner
