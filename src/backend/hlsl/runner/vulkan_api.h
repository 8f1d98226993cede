// The functions of Vulkan that are used, found at run time: programs need no Vulkan to start.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace hone::backend::runner {

// Wide because it lists the functions of Vulkan that are called.
struct VulkanApi {
#define HONE_VULKAN_FUNCTIONS(X)                                                                                       \
  X(CreateInstance)                                                                                                    \
  X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2)                           \
    X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceQueueFamilyProperties)       \
      X(CreateDevice) X(GetDeviceQueue) X(CreateCommandPool) X(AllocateCommandBuffers) X(FreeCommandBuffers)           \
        X(ResetCommandPool) X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdBindPipeline) X(CmdBindDescriptorSets)      \
          X(CmdPushConstants) X(CmdDispatchBase) X(CmdPipelineBarrier) X(CmdFillBuffer) X(CmdCopyBuffer)               \
            X(CmdResetQueryPool) X(CmdWriteTimestamp) X(CreateQueryPool) X(GetQueryPoolResults) X(QueueSubmit)         \
              X(CreateFence) X(WaitForFences) X(ResetFences) X(CreateBuffer) X(DestroyBuffer)                          \
                X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) X(MapMemory)        \
                  X(CreateShaderModule) X(DestroyShaderModule) X(CreateDescriptorSetLayout)                            \
                    X(DestroyDescriptorSetLayout) X(CreatePipelineLayout) X(DestroyPipelineLayout)                     \
                      X(CreateComputePipelines) X(DestroyPipeline) X(CreateDescriptorPool) X(DestroyDescriptorPool)    \
                        X(AllocateDescriptorSets) X(UpdateDescriptorSets)
#define HONE_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
  HONE_VULKAN_FUNCTIONS(HONE_VULKAN_MEMBER)
#undef HONE_VULKAN_MEMBER
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
};

// The library that knows all installed drivers.
constexpr const char* k_vulkan_loader = "libvulkan.so.1";

// Everything but functions of an instance; these follow once there is one. nullptr, or what is missing.
const char* open_vulkan(VulkanApi& api);
const char* load_functions(VulkanApi& api, VkInstance instance);

} // namespace hone::backend::runner
