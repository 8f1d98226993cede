#include "backend/hlsl/runner/vulkan_session.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hone::backend::runner {

namespace {

constexpr std::uint32_t k_push_bytes = 128; // what every device has

} // namespace

std::string VulkanSession::load(const JobView& job)
{
  m_shaders = shaders_in(job.image());
  if (m_shaders.empty()) {
    return "the compiled shaders are not whole";
  }
  if (const char* failure = m_buffers.make(job)) {
    return failure;
  }
  std::string trouble = make_layouts(job);
  trouble = trouble.empty() ? make_pipelines(job) : trouble;
  trouble = trouble.empty() ? make_descriptors(job) : trouble;
  m_commands.resize(job.sets());
  for (std::uint32_t set = 0; set < job.sets() && trouble.empty(); ++set) {
    trouble = record(job, set);
  }
  return trouble;
}

std::string VulkanSession::make_layouts(const JobView& job)
{
  const VulkanApi& api = m_device.api();
  std::vector<VkDescriptorSetLayoutBinding> bindings(job.buffers());
  for (std::uint32_t i = 0; i < job.buffers(); ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = job.buffers();
  set.pBindings = bindings.data();
  VkResult result = api.CreateDescriptorSetLayout(m_device.device(), &set, nullptr, &m_set_layout);
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, k_push_bytes};
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &m_set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  result = result == VK_SUCCESS ? api.CreatePipelineLayout(m_device.device(), &layout, nullptr, &m_layout) : result;
  return result == VK_SUCCESS ? "" : vulkan_trouble("the layout of buffers was refused", result);
}

std::string VulkanSession::make_pipelines(const JobView&)
{
  const VulkanApi& api = m_device.api();
  for (const PackedShader& shader : m_shaders) {
    VkShaderModuleCreateInfo module = {};
    module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module.codeSize = shader.code.size() * sizeof(std::uint32_t);
    module.pCode = shader.code.data();
    VkComputePipelineCreateInfo pipeline = {};
    pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    pipeline.flags = VK_PIPELINE_CREATE_DISPATCH_BASE; // large grids go in parts
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.pName = shader.kernel.c_str();
    pipeline.layout = m_layout;
    VkResult result = api.CreateShaderModule(m_device.device(), &module, nullptr, &pipeline.stage.module);
    if (result == VK_SUCCESS) {
      result = api.CreateComputePipelines(m_device.device(), VK_NULL_HANDLE, 1, &pipeline, nullptr,
                                          &m_pipelines.emplace_back());
      api.DestroyShaderModule(m_device.device(), pipeline.stage.module, nullptr);
    }
    if (result != VK_SUCCESS) {
      return vulkan_trouble("the driver refused " + shader.kernel, result);
    }
  }
  return "";
}

std::string VulkanSession::make_descriptors(const JobView& job)
{
  const VulkanApi& api = m_device.api();
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, job.sets() * std::max(job.buffers(), 1U)};
  VkDescriptorPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = job.sets();
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  VkResult result = api.CreateDescriptorPool(m_device.device(), &pool, nullptr, &m_pool);
  m_sets.resize(job.sets());
  const std::vector<VkDescriptorSetLayout> layouts(job.sets(), m_set_layout);
  VkDescriptorSetAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = m_pool;
  allocation.descriptorSetCount = job.sets();
  allocation.pSetLayouts = layouts.data();
  result = result == VK_SUCCESS ? api.AllocateDescriptorSets(m_device.device(), &allocation, m_sets.data()) : result;
  if (result != VK_SUCCESS) {
    return vulkan_trouble("descriptors could not be made", result);
  }
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < job.buffers(); ++i) {
      const std::uint32_t block = m_buffers.block_of(set, i);
      if (block == DeviceBuffers::k_none) {
        continue;
      }
      const VkDescriptorBufferInfo range = m_memory.range(block);
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = m_sets[set];
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &range;
      api.UpdateDescriptorSets(m_device.device(), 1, &write, 0, nullptr);
    }
  }
  return "";
}

// What a command wrote, those behind it see.
static void wait_for_writes(const VulkanApi& api, VkCommandBuffer commands)
{
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  api.CmdPipelineBarrier(commands, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

std::string VulkanSession::record_launch(const JobView& job, std::uint32_t set, std::uint32_t index,
                                         VkCommandBuffer commands)
{
  const VulkanApi& api = m_device.api();
  const Launch& launch = job.launch(index);
  const char* name = job.kernel_name(launch);
  const auto shader =
    std::find_if(m_shaders.begin(), m_shaders.end(), [&](const PackedShader& one) { return one.kernel == name; });
  if (shader == m_shaders.end()) {
    return std::string("there is no code of ") + name;
  }
  std::array<std::uint32_t, k_push_bytes / 4> push = {};
  const ArgumentSpec* specs = job.arguments(launch);
  const std::uint64_t* values = job.values(launch, set);
  std::size_t integers = 0;
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    if (specs[i].kind != ArgumentKind::integer) {
      continue;
    }
    if (integers >= shader->offsets.size() || shader->offsets[integers] >= k_push_bytes) {
      return std::string("the launch of ") + name + " passes more sizes than a shader can take";
    }
    push[shader->offsets[integers++] / 4] = static_cast<std::uint32_t>(values[i]);
  }
  api.CmdPushConstants(commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, k_push_bytes, push.data());
  api.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                      m_pipelines[static_cast<std::size_t>(shader - m_shaders.begin())]);
  const std::uint32_t* most = m_device.properties().limits.maxComputeWorkGroupCount;
  std::array<std::uint32_t, 3> first = {};
  const auto count = [&](int axis) {
    return std::min(most[axis], static_cast<std::uint32_t>(launch.grid[axis]) - first[static_cast<std::size_t>(axis)]);
  };
  const auto end = [&](int axis) { return static_cast<std::uint32_t>(launch.grid[axis]); };
  for (first[2] = 0; first[2] < end(2); first[2] += count(2)) {
    for (first[1] = 0; first[1] < end(1); first[1] += count(1)) {
      for (first[0] = 0; first[0] < end(0); first[0] += count(0)) {
        api.CmdDispatchBase(commands, first[0], first[1], first[2], count(0), count(1), count(2));
      }
    }
  }
  return "";
}

std::string VulkanSession::record(const JobView& job, std::uint32_t set)
{
  const VulkanApi& api = m_device.api();
  VkCommandBuffer& commands = m_commands[set];
  if (std::string trouble = m_device.new_commands(commands); !trouble.empty()) {
    return trouble;
  }
  api.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, 1, &m_sets[set], 0, nullptr);
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      const Fill& fill = job.fill(launch.first_fill + k);
      const std::uint32_t block = m_buffers.block_of(set, fill.buffer);
      api.CmdFillBuffer(commands, m_memory.buffer(block), m_memory.band(block), fill.elements * fill.element_bytes,
                        static_cast<std::uint32_t>(fill.pattern)); // elements have four bytes on this platform
    }
    if (launch.fill_count > 0) {
      wait_for_writes(api, commands);
    }
    if (std::string trouble = record_launch(job, set, i, commands); !trouble.empty()) {
      return trouble;
    }
    wait_for_writes(api, commands);
  }
  const VkResult result = api.EndCommandBuffer(commands);
  return result == VK_SUCCESS ? "" : vulkan_trouble("the commands of a call were refused", result);
}

void VulkanSession::unload()
{
  const VulkanApi& api = m_device.api();
  api.ResetCommandPool(m_device.device(), m_device.pool(), 0);
  if (!m_commands.empty()) {
    api.FreeCommandBuffers(m_device.device(), m_device.pool(), static_cast<std::uint32_t>(m_commands.size()),
                           m_commands.data());
  }
  m_commands.clear();
  for (const VkPipeline pipeline : m_pipelines) {
    api.DestroyPipeline(m_device.device(), pipeline, nullptr);
  }
  m_pipelines.clear();
  api.DestroyDescriptorPool(m_device.device(), m_pool, nullptr);
  api.DestroyPipelineLayout(m_device.device(), m_layout, nullptr);
  api.DestroyDescriptorSetLayout(m_device.device(), m_set_layout, nullptr);
  m_pool = VK_NULL_HANDLE;
  m_layout = VK_NULL_HANDLE;
  m_set_layout = VK_NULL_HANDLE;
  m_sets.clear();
  m_shaders.clear();
  m_buffers.release();
}

} // namespace hone::backend::runner
