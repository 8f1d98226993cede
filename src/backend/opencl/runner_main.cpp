// hone-runner-opencl: calls kernels through an OpenCL driver that runs on the CPU (PoCL).
//
// hone-opencl-compiler has compiled the program and generated the code for its launches in the jail. The driver unpacks
// that into a private folder and loads it into our process, which by then is locked: no new programs, no files but
// those of that folder and the system's, no network.
//
// Called with --probe it describes the device, one "name<TAB>value" per line.
#include "backend/opencl/runner/generated_code.h"
#include "backend/opencl/runner/private_folder.h"
#include "backend/opencl/runner/session.h"
#include "backend/runner/landlock.h"
#include "backend/runner/runner_core.h"

#include <cstdio>
#include <cstring>
#include <sys/prctl.h>

namespace {

using namespace hone::backend::runner;

// What drivers read. Neither other people's files nor other processes are among it.
constexpr const char* k_readable[] = {"/usr",          "/lib",          "/lib64",
                                      "/bin",          "/etc/OpenCL",   "/etc/ld.so.cache",
                                      "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system",
                                      nullptr};
const char* g_writable[] = {nullptr, "/dev/null", nullptr}; // the private folder comes first

Session g_session;
Trouble g_call_trouble;

// Landlock holds for a thread and those it starts later: it must come before the driver starts its own.
const char* close_files_before_any_thread()
{
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return "prctl failed while locking the runner down";
  }
  return restrict_files(k_readable, g_writable);
}

void stop_on(const Trouble& trouble)
{
  if (trouble) {
    refuse(trouble.kind, trouble.text);
  }
}

const char* prepare(const JobView&)
{
  g_writable[0] = make_private_folder();
  if (g_writable[0] == nullptr) {
    return "no temporary folder could be made under /tmp";
  }
  set_driver_environment(g_writable[0]);
  if (const char* failure = close_files_before_any_thread()) {
    return failure;
  }
  stop_on(g_session.open());
  return nullptr;
}

const char* load(const JobView& job)
{
  stop_on(g_session.load(job));
  stop_on(g_session.make_buffers(job));
  load_generated_code(g_writable[0]);
  return nullptr;
}

const char* call(const JobView& job, std::uint32_t set, std::uint32_t)
{
  g_call_trouble = g_session.call(job, set);
  return g_call_trouble ? g_call_trouble.text.c_str() : nullptr;
}

const char* unload()
{
  g_session.unload();
  forget_generated_code(g_writable[0]);
  return nullptr;
}

const char* execute_requests(const JobView& job, Reply& reply)
{
  return g_session.execute_requests(job, reply);
}

template <class Query> void print_text(const char* name, Query query)
{
  char text[512] = {};
  if (query(sizeof text - 1, text) == k_cl_success) {
    std::printf("%s\t%s\n", name, text);
  }
}

template <class Number> void print_number(const char* name, const Device& device, ClUint fact)
{
  Number value = 0;
  if (device.api().get_device_info(device.device(), fact, sizeof value, &value, nullptr) == k_cl_success) {
    std::printf("%s\t%llu\n", name, static_cast<unsigned long long>(value));
  }
}

// Items that run together and can exchange values; 0: the device cannot, or does not say how many they are.
ClUint subgroup_of(const Device& device)
{
  constexpr ClUint k_extensions = 0x1030, k_nvidia_warp = 0x4003, k_amd_wavefront = 0x4043, k_intel_sizes = 0x4108;
  static char text[16384];
  const auto& api = device.api();
  if (api.get_device_info(device.device(), k_extensions, sizeof text - 1, text, nullptr) != k_cl_success
      || std::strstr(text, "cl_khr_subgroup_shuffle") == nullptr) {
    return 0;
  }
  ClUint width = 0;
  for (const ClUint fact : {k_nvidia_warp, k_amd_wavefront}) {
    if (api.get_device_info(device.device(), fact, sizeof width, &width, nullptr) == k_cl_success) {
      return width;
    }
  }
  std::size_t sizes[16] = {}, bytes = 0;
  if (api.get_device_info(device.device(), k_intel_sizes, sizeof sizes, sizes, &bytes) != k_cl_success) {
    return 0;
  }
  for (std::size_t i = 0; i < bytes / sizeof sizes[0]; ++i) {
    width = static_cast<ClUint>(sizes[i]) > width ? static_cast<ClUint>(sizes[i]) : width;
  }
  return width;
}

int probe()
{
  const char* folder = make_private_folder();
  if (folder == nullptr) {
    std::printf("error\tno temporary folder could be made under /tmp\n");
    return 1;
  }
  set_driver_environment(folder);
  Device device;
  if (const Trouble trouble = device.open(k_opencl_loader)) {
    std::printf("error\t%s\n", trouble.text.c_str());
    return 1;
  }
  const auto device_text = [&](const char* name, ClUint fact) {
    print_text(name, [&](std::size_t bytes, char* text) {
      return device.api().get_device_info(device.device(), fact, bytes, text, nullptr);
    });
  };
  print_text("platform", [&](std::size_t bytes, char* text) {
    return device.api().get_platform_info(device.platform(), k_cl_platform_name, bytes, text, nullptr);
  });
  device_text("device", k_cl_device_name);
  device_text("version", k_cl_device_version);
  device_text("driver", k_cl_driver_version);
  print_number<ClUint>("compute units", device, k_cl_device_max_compute_units);
  print_number<std::size_t>("largest work-group", device, k_cl_device_max_work_group_size);
  print_number<ClUint>("floats per vector", device, k_cl_device_native_vector_width_float);
  print_number<ClBits>("local memory", device, k_cl_device_local_mem_size);
  std::printf("sub-group\t%u\n", subgroup_of(device));
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
  platform.writable = g_writable;
  platform.prepare = prepare;
  platform.load = load;
  platform.call = call;
  platform.memory = execute_requests;
  platform.unload = unload;
  platform.cancellable = true;
  return hone::backend::runner::run(platform);
}
