// hone-runner-vulkan: runs compiled shaders through a Vulkan driver: a GPU's, or Mesa's lavapipe on the CPU.
//
// glslang has compiled the shaders in the jail. The driver makes machine code of them in our process, which by then is
// locked: no new programs, no files but the system's, no network.
//
// Called with --probe it describes the device, one "name<TAB>value" per line.
#include "backend/hlsl/runner/vulkan_session.h"
#include "backend/runner/landlock.h"
#include "backend/runner/runner_core.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>

namespace {

using namespace hone::backend::runner;

// What drivers read, and the devices of GPUs where there are any.
constexpr const char* k_readable[] = {
  "/usr",       "/lib",          "/lib64",        "/bin", "/etc/vulkan", "/etc/ld.so.cache",
  "/etc/drirc", "/proc/cpuinfo", "/proc/meminfo", "/sys", nullptr};
constexpr const char* k_writable[] = {"/dev/null",       "/dev/dri", "/dev/nvidia0", "/dev/nvidiactl",
                                      "/dev/nvidia-uvm", "/dev/kfd", nullptr};

VulkanSession g_session;
std::string g_trouble;

const char* said(std::string trouble)
{
  g_trouble = std::move(trouble);
  return g_trouble.empty() ? nullptr : g_trouble.c_str();
}

void set_driver_environment()
{
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); // no files of other candidates
  setenv("LP_NUM_THREADS", "1", 1);               // as on all platforms that run on the CPU
}

const char* prepare(const JobView&)
{
  set_driver_environment();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return "prctl failed while locking the runner down";
  }
  if (const char* failure = restrict_files(k_readable, k_writable)) { // before the driver starts threads of its own
    return failure;
  }
  return said(g_session.open());
}

const char* load(const JobView& job)
{
  if (std::string trouble = g_session.load(job); !trouble.empty()) {
    refuse(RefusalKind::runtime, trouble);
  }
  return nullptr;
}

const char* call(const JobView&, std::uint32_t set, std::uint32_t)
{
  return said(g_session.call(set));
}

const char* unload()
{
  g_session.unload();
  return nullptr;
}

const char* execute_requests(const JobView& job, Reply& reply)
{
  return g_session.execute_requests(job, reply);
}

int probe()
{
  set_driver_environment();
  VulkanDevice device;
  if (const std::string trouble = device.open(false); !trouble.empty()) {
    std::printf("error\t%s\n", trouble.c_str());
    return 1;
  }
  const VkPhysicalDeviceProperties& properties = device.properties();
  std::printf("device\t%s\n", properties.deviceName);
  std::printf("version\tVulkan %u.%u.%u\n", VK_API_VERSION_MAJOR(properties.apiVersion),
              VK_API_VERSION_MINOR(properties.apiVersion), VK_API_VERSION_PATCH(properties.apiVersion));
  std::printf("driver\t%u\n", properties.driverVersion);
  std::printf("kind\t%s\n", properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? "cpu" : "gpu");
  std::printf("largest work-group\t%u\n", properties.limits.maxComputeWorkGroupInvocations);
  std::printf("local memory\t%u\n", properties.limits.maxComputeSharedMemorySize);
  std::printf("sub-group\t%u\n", device.subgroups().subgroupSize);
  return 0;
}

} // namespace

int main(int count, char** arguments)
{
  if (count == 2 && std::strcmp(arguments[1], "--probe") == 0) {
    return probe();
  }
  Platform platform;
  platform.lock = LockProfile::loose;
  platform.readable = k_readable;
  platform.writable = k_writable;
  platform.prepare = prepare;
  platform.load = load;
  platform.call = call;
  platform.memory = execute_requests;
  platform.unload = unload;
  platform.cancellable = true;
  return hone::backend::runner::run(platform);
}
