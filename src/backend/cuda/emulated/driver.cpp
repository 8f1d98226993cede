// libhone-cuda-emulated.so: the part of the CUDA driver's interface that hone-runner-cuda calls, on a device that does
// not exist. Modules are PTX; launches are executed at once, with all checks. A launch in which something was found
// fails, and hone_emulated_findings() says what.
#include "emulate/emulate.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace hone;

// Of cuda.h.
enum : int {
  k_success = 0,
  k_invalid_value = 1,
  k_out_of_memory = 2,
  k_invalid_image = 200,
  k_not_found = 500,
  k_illegal_address = 700,
  k_launch_failed = 719,
};

// What an H100 has.
int attribute_of(int which)
{
  switch (which) {
  case 1: // threads of a block
    return 1024;
  case 8: // static shared memory of a block
    return 48 << 10;
  case 10:
    return 32;
  case 16: // multiprocessors
    return 132;
  case 38:
    return 50 << 20;
  case 75:
    return 9;
  case 76:
    return 0;
  case 81:
    return 228 << 10;
  case 82:
    return 65536;
  case 97: // dynamic shared memory of a block, when it is asked for
    return 227 << 10;
  default:
    return 0;
  }
}

struct LoadedModule {
  emulate::Program program;
  std::vector<std::unique_ptr<std::pair<LoadedModule*, std::string>>> functions;
};
using LoadedFunction = std::pair<LoadedModule*, std::string>;

constexpr std::uint64_t k_most_warp_instructions = 20'000'000'000; // minutes

emulate::GlobalMemory g_memory;
std::string g_findings, g_told;
int g_failed = k_success; // sticks, as a context does
int g_context = 0;

int failed_with(int code)
{
  g_failed = code;
  return code;
}

int code_of(emulate::FindingKind kind)
{
  return kind == emulate::FindingKind::out_of_bounds ? k_illegal_address : k_launch_failed;
}

} // namespace

extern "C" {

int cuInit(unsigned)
{
  return k_success;
}

int cuDriverGetVersion(int* version)
{
  *version = 12050;
  return k_success;
}

int cuDeviceGet(int* device, int number)
{
  *device = 0;
  return number == 0 ? k_success : k_invalid_value;
}

int cuDeviceGetName(char* name, int bytes, int)
{
  std::strncpy(name, "emulated sm_90a (PTX executed on the CPU)", static_cast<std::size_t>(bytes) - 1);
  return k_success;
}

int cuDeviceGetAttribute(int* value, int which, int)
{
  *value = attribute_of(which);
  return k_success;
}

int cuDevicePrimaryCtxRetain(void** context, int)
{
  *context = &g_context;
  return k_success;
}

int cuCtxSetCurrent(void*)
{
  return k_success;
}

int cuModuleLoadData(void** module, const void* image)
{
  auto program = emulate::Program::load(static_cast<const char*>(image));
  if (!program) {
    g_findings = program.error().message;
    return k_invalid_image;
  }
  *module = new LoadedModule{std::move(*program), {}};
  return k_success;
}

int cuModuleUnload(void* module)
{
  delete static_cast<LoadedModule*>(module);
  return k_success;
}

int cuModuleGetFunction(void** function, void* module, const char* name)
{
  auto* const loaded = static_cast<LoadedModule*>(module);
  if (loaded->program.find(name) == nullptr) {
    return k_not_found;
  }
  loaded->functions.push_back(std::make_unique<LoadedFunction>(loaded, name));
  *function = loaded->functions.back().get();
  return k_success;
}

int cuFuncSetAttribute(void*, int, int value)
{
  return value <= attribute_of(97) ? k_success : k_invalid_value;
}

int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes)
{
  *address = g_memory.allocate(bytes);
  return *address != 0 ? k_success : k_out_of_memory;
}

int cuMemFree_v2(unsigned long long address)
{
  return g_memory.release(address) ? k_success : k_invalid_value;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes)
{
  if (g_memory.find(to, bytes) == nullptr) {
    return k_invalid_value;
  }
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return g_failed;
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes)
{
  if (g_memory.find(from, bytes) == nullptr) {
    return k_invalid_value;
  }
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return g_failed;
}

int cuMemsetD8_v2(unsigned long long to, unsigned char value, std::size_t count)
{
  if (g_memory.find(to, count) == nullptr) {
    return k_invalid_value;
  }
  std::memset(reinterpret_cast<void*>(to), value, count);
  return g_failed;
}

int cuMemsetD16_v2(unsigned long long to, unsigned short value, std::size_t count)
{
  const std::vector<unsigned short> all(count, value);
  return cuMemcpyHtoD_v2(to, all.data(), count * sizeof value);
}

int cuMemsetD32_v2(unsigned long long to, unsigned value, std::size_t count)
{
  const std::vector<unsigned> all(count, value);
  return cuMemcpyHtoD_v2(to, all.data(), count * sizeof value);
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared_bytes, void*, void** arguments, void**)
{
  if (g_failed != k_success) {
    return g_failed;
  }
  const auto* const loaded = static_cast<const LoadedFunction*>(function);
  const emulate::Entry& entry = *loaded->first->program.find(loaded->second);
  const std::uint64_t items = std::uint64_t{bx} * by * bz;
  if (gx == 0 || gy == 0 || gz == 0 || items == 0 || items > 1024 || gy > 65535 || gz > 65535 || bz > 64
      || shared_bytes + entry.shared_bytes > static_cast<std::size_t>(attribute_of(97))
      || (entry.most_items > 0 && items > static_cast<std::uint64_t>(entry.most_items))) {
    return k_invalid_value;
  }
  emulate::LaunchRequest request;
  request.program = &loaded->first->program;
  request.entry = loaded->second;
  request.grid = {gx, gy, gz};
  request.block = {bx, by, bz};
  request.dynamic_shared_bytes = shared_bytes;
  request.most_instructions = k_most_warp_instructions;
  request.parameters.resize(entry.parameter_bytes);
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    std::memcpy(request.parameters.data() + entry.parameters[i].offset, arguments[i], entry.parameters[i].bytes);
  }
  const emulate::LaunchResult result = emulate::launch(request, g_memory);
  for (const emulate::Finding& finding : result.findings) {
    g_findings += (g_findings.empty() ? "" : "; ") + finding.text;
  }
  return result.findings.empty() ? k_success : failed_with(code_of(result.findings.front().kind));
}

int cuCtxSynchronize()
{
  return g_failed;
}

int cuGetErrorName(int code, const char** name)
{
  *name = code == k_illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == k_launch_failed ? "CUDA_ERROR_LAUNCH_FAILED"
          : code == k_invalid_image ? "CUDA_ERROR_INVALID_IMAGE"
          : code == k_not_found     ? "CUDA_ERROR_NOT_FOUND"
          : code == k_out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == k_invalid_value ? "CUDA_ERROR_INVALID_VALUE"
                                    : "CUDA_ERROR_UNKNOWN";
  return k_success;
}

int cuGetErrorString(int code, const char** text)
{
  return cuGetErrorName(code, text);
}

const char* hone_emulated_findings()
{
  g_told = std::move(g_findings);
  g_findings.clear();
  return g_told.c_str();
}
}
