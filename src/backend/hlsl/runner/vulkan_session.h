// A job's shaders on a Vulkan device: from SPIR-V to finished dispatches.
#pragma once

#include "backend/hlsl/runner/shaders.h"
#include "backend/hlsl/runner/vulkan_memory.h"
#include "backend/runner/runner_core.h"

#include <string>
#include <vector>

namespace hone::backend::runner {

// Functions return "", or what went wrong.
class VulkanSession {
public:
  std::string open() { return m_device.open(false); }
  const VulkanDevice& device() const { return m_device; }
  // Makes a pipeline per launch, all buffers, and the commands of a call for each set.
  std::string load(const JobView& job);
  void unload();
  const char* execute_requests(const JobView& job, Reply& reply) { return m_buffers.execute(job, reply); }
  // Runs the whole plan once on the buffers of `set`, fills included; finished on return.
  std::string call(std::uint32_t set) { return m_device.submit(m_commands[set]); }

private:
  std::string make_layouts(const JobView& job);
  std::string make_pipelines(const JobView& job);
  std::string make_descriptors(const JobView& job);
  std::string record(const JobView& job, std::uint32_t set);
  std::string record_launch(const JobView& job, std::uint32_t set, std::uint32_t index, VkCommandBuffer commands);

  VulkanDevice m_device;
  VulkanMemory m_memory{m_device};
  DeviceBuffers m_buffers{m_memory};
  std::vector<PackedShader> m_shaders;
  std::vector<VkPipeline> m_pipelines; // per shader
  VkDescriptorSetLayout m_set_layout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> m_sets;     // per set of the job
  std::vector<VkCommandBuffer> m_commands; // per set of the job
};

} // namespace hone::backend::runner
