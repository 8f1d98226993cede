// hone-runner-cuda: runs compiled modules through a CUDA driver: NVIDIA's where there is a GPU, else the emulated one
// beside this program, which executes PTX on the CPU.
//
// Modules are compiled in the jail. Before they are loaded the process is locked: no new programs, no files but the
// system's, no network.
//
// Called with --probe it describes the device, one "name<TAB>value" per line.
#include "backend/cuda/runner/cuda_session.h"
#include "backend/runner/landlock.h"
#include "backend/runner/runner_core.h"

#include <cstdio>
#include <cstring>

namespace {

using namespace hone::backend::runner;

constexpr const char* k_readable[] = {"/usr",          "/lib",          "/lib64", "/bin", "/etc/ld.so.cache",
                                      "/proc/cpuinfo", "/proc/meminfo", "/sys",   nullptr};
constexpr const char* k_writable[] = {"/dev/null", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", nullptr};

CudaSession g_session;
std::string g_trouble;

const char* said(std::string trouble)
{
  g_trouble = std::move(trouble);
  return g_trouble.empty() ? nullptr : g_trouble.c_str();
}

// The driver opens its devices and starts its threads before the lock.
const char* prepare(const JobView&)
{
  return said(g_session.open());
}

const char* load(const JobView& job)
{
  if (std::string trouble = g_session.load(job); !trouble.empty()) {
    refuse(RefusalKind::runtime, trouble);
  }
  return nullptr;
}

const char* call(const JobView& job, std::uint32_t set, std::uint32_t)
{
  return said(g_session.call(job, set));
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
  CudaDevice device;
  if (const std::string trouble = device.open(); !trouble.empty()) {
    std::printf("error\t%s\n", trouble.c_str());
    return 1;
  }
  int version = 0;
  device.api().driver_version(&version);
  std::printf("device\t%s\n", device.name().c_str());
  std::printf("kind\t%s\n", device.is_emulated() ? "emulated" : "gpu");
  std::printf("driver\t%d.%d\n", version / 1000, version % 1000 / 10);
  std::printf("capability\t%d.%d\n", device.attribute(k_cu_major), device.attribute(k_cu_minor));
  std::printf("units\t%d\n", device.attribute(k_cu_units));
  std::printf("largest work-group\t%d\n", device.attribute(k_cu_most_items));
  std::printf("local memory\t%d\n", device.attribute(k_cu_shared_per_block));
  std::printf("largest local memory\t%d\n", device.attribute(k_cu_shared_opt_in));
  std::printf("sub-group\t%d\n", device.attribute(k_cu_warp_size));
  std::printf("l2\t%d\n", device.attribute(k_cu_l2_bytes));
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
