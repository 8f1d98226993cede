// libhone-cuda-emulated.so: the part of the CUDA driver's interface that hone-runner-cuda calls, on a device that does
// not exist. Modules are PTX; launches are executed at once, with all checks. A launch in which something was found
// fails, and hone_emulated_findings() says what.
#include "emulate/emulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
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
  k_too_large = 720, // a cooperative launch
  k_not_supported = 801,
};

// CUlaunchAttribute: a number, and its value at 8 bytes of 72.
struct LaunchAttribute {
  int number = 0, unused = 0;
  union {
    int cooperative;
    std::array<unsigned, 3> cluster;
    std::array<char, 64> bytes;
  };
};
static_assert(sizeof(LaunchAttribute) == 72);
enum : int { k_attribute_cooperative = 2, k_attribute_cluster = 4 };
// Hints: the access policy of caches, how hosts wait, how clusters are spread, programmatic launches behind others,
// priority, memory domains, how much of a cache is shared memory.
constexpr std::array k_attributes_without_effect = {0, 1, 3, 5, 6, 8, 9, 10, 14};

// CUlaunchConfig.
struct LaunchConfig {
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  const LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
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
  case 39: // threads of a multiprocessor
    return 2048;
  case 95:  // cooperative launches
  case 120: // clusters
  case 127: // tensor maps
    return 1;
  case 106: // blocks of a multiprocessor
    return 32;
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
int g_failed = k_success;                            // sticks, as a context does
std::map<const void*, std::size_t> g_dynamic_shared; // that a function was allowed, beyond 48 KiB
std::uint64_t g_launches = 0;
int g_context = 0;

void add_finding(const std::string& text)
{
  g_findings += (g_findings.empty() ? "" : "; ") + text;
}

int failed_with(int code)
{
  g_failed = code;
  return code;
}

int code_of(emulate::FindingKind kind)
{
  return kind == emulate::FindingKind::out_of_bounds ? k_illegal_address : k_launch_failed;
}

// What a launch's attributes ask for; an error's code.
int take_attributes(const LaunchConfig& config, emulate::LaunchRequest& request)
{
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const LaunchAttribute& one = config.attributes[i];
    if (one.number == k_attribute_cooperative) {
      request.cooperative = one.cooperative != 0;
    } else if (one.number == k_attribute_cluster) {
      request.cluster = one.cluster;
    } else if (std::ranges::find(k_attributes_without_effect, one.number) == k_attributes_without_effect.end()) {
      return k_not_supported;
    }
  }
  return k_success;
}

// What of a launch's sizes the device does not take; "": nothing.
std::string refusal_of(const LaunchConfig& config, const emulate::Entry& entry, std::size_t allowed_shared)
{
  const auto [gx, gy, gz] = config.grid;
  const auto [bx, by, bz] = config.block;
  constexpr unsigned k_most_yz = 65535, k_most_z = 64; // blocks of a grid, threads of a block
  const std::uint64_t items = std::uint64_t{bx} * by * bz;
  const auto most_items = static_cast<std::uint64_t>(attribute_of(1));
  const auto most_shared = static_cast<std::size_t>(attribute_of(97));
  const std::size_t shared = config.shared_bytes + entry.shared_bytes;
  return gx == 0 || gy == 0 || gz == 0 || gy > k_most_yz || gz > k_most_yz
           ? fmt::format("a grid of {} x {} x {} blocks; 1 to {} are allowed along y and z", gx, gy, gz, k_most_yz)
         : items == 0 || items > most_items || bz > k_most_z
           ? fmt::format("a block of {} x {} x {} threads; at most {} are allowed, and {} along z", bx, by, bz,
                         most_items, k_most_z)
         : entry.most_items > 0 && items > static_cast<std::uint64_t>(entry.most_items)
           ? fmt::format("a block of {} threads; it was compiled for at most {} threads", items, entry.most_items)
         : shared > most_shared ? fmt::format(
             "{} bytes of shared memory, those that it declares included; a block has {}", shared, most_shared)
         : config.shared_bytes > allowed_shared
           ? fmt::format("{} bytes of shared memory; it was allowed {}", config.shared_bytes, allowed_shared)
           : "";
}

// Whether all blocks have room at once, by their threads and shared memory.
bool fits_at_once(const emulate::LaunchRequest& request, std::size_t shared_bytes)
{
  constexpr std::size_t k_reserved = 1024; // of every block
  const std::size_t threads = std::size_t{request.block[0]} * request.block[1] * request.block[2];
  const auto limit = [](int which) { return static_cast<std::size_t>(attribute_of(which)); };
  const std::size_t of_one = std::min({limit(39) / threads, limit(81) / (shared_bytes + k_reserved), limit(106)});
  return std::size_t{request.grid[0]} * request.grid[1] * request.grid[2] <= of_one * limit(16);
}

int launch(void* function, const LaunchConfig& config, void** arguments)
{
  const unsigned shared_bytes = config.shared_bytes;
  if (g_failed != k_success) {
    return g_failed;
  }
  const auto* const loaded = static_cast<const LoadedFunction*>(function);
  const emulate::Entry& entry = *loaded->first->program.find(loaded->second);
  const std::size_t allowed = std::max(g_dynamic_shared[function], static_cast<std::size_t>(attribute_of(8)));
  if (const std::string refusal = refusal_of(config, entry, allowed); !refusal.empty()) {
    add_finding(fmt::format("{} is launched with {}", entry.name, refusal));
    return k_invalid_value;
  }
  emulate::LaunchRequest request;
  if (const int wrong = take_attributes(config, request); wrong != k_success) {
    return wrong;
  }
  request.program = &loaded->first->program;
  request.entry = loaded->second;
  request.grid = config.grid;
  request.block = config.block;
  request.dynamic_shared_bytes = shared_bytes;
  request.most_instructions = k_most_warp_instructions;
  request.seed = g_launches++; // each launch in another order: calls are repeated
  request.delays = request.seed > 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const unsigned of_program = axis < entry.cluster.size() ? static_cast<unsigned>(entry.cluster[axis]) : 1;
    if (request.grid[axis] % std::max(request.cluster[0] != 0 ? request.cluster[axis] : of_program, 1u) != 0) {
      return k_invalid_value;
    }
  }
  if (request.cooperative && !fits_at_once(request, shared_bytes + entry.shared_bytes)) {
    return k_too_large;
  }
  request.parameters.resize(entry.parameter_bytes);
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    std::memcpy(request.parameters.data() + entry.parameters[i].offset, arguments[i], entry.parameters[i].bytes);
  }
  const emulate::LaunchResult result = emulate::launch(request, g_memory);
  for (const emulate::Finding& finding : result.findings) {
    add_finding(finding.text);
  }
  return result.findings.empty() ? k_success : failed_with(code_of(result.findings.front().kind));
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
  if (g_failed != k_success) {
    return g_failed; // the device is lost
  }
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
  for (const auto& function : static_cast<LoadedModule*>(module)->functions) {
    g_dynamic_shared.erase(function.get());
  }
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

int cuFuncSetAttribute(void* function, int which, int value)
{
  if (which == 8 && value >= 0) {
    g_dynamic_shared[function] = static_cast<std::size_t>(value);
  }
  return value <= attribute_of(97) ? k_success : k_invalid_value;
}

int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes)
{
  if (g_failed != k_success) {
    return g_failed; // the device is lost
  }
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
  return launch(function, {{gx, gy, gz}, {bx, by, bz}, shared_bytes, nullptr, nullptr, 0}, arguments);
}

int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared_bytes, void*, void** arguments)
{
  LaunchAttribute cooperative;
  cooperative.number = k_attribute_cooperative;
  cooperative.cooperative = 1;
  return launch(function, {{gx, gy, gz}, {bx, by, bz}, shared_bytes, nullptr, &cooperative, 1}, arguments);
}

int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** arguments, void**)
{
  return launch(function, *config, arguments);
}

int cuTensorMapEncodeTiled(void* to, int type, unsigned rank, void* address, const unsigned long long* sizes,
                           const unsigned long long* strides, const unsigned* box, const unsigned* element_strides,
                           int interleave, int swizzle, int, int fill)
{
  const auto last_type = static_cast<int>(emulate::TensorType::tf32_ftz);
  const auto last_swizzle = static_cast<int>(emulate::TensorSwizzle::bytes_128);
  if (interleave != 0 || swizzle > last_swizzle || type > last_type) {
    return k_not_supported;
  }
  if (to == nullptr || sizes == nullptr || box == nullptr || element_strides == nullptr || type < 0 || swizzle < 0
      || (strides == nullptr && rank > 1) || rank < 1 || rank > emulate::k_most_tensor_dimensions || fill < 0
      || fill > 1 || reinterpret_cast<std::uintptr_t>(to) % emulate::k_tensor_map_alignment != 0) {
    return k_invalid_value;
  }
  emulate::TensorMap map;
  map.type = static_cast<emulate::TensorType>(type);
  map.rank = static_cast<int>(rank);
  map.address = reinterpret_cast<std::uintptr_t>(address);
  map.swizzle = static_cast<emulate::TensorSwizzle>(swizzle);
  map.fill = static_cast<emulate::TensorFill>(fill);
  for (std::size_t i = 0; i < rank; ++i) {
    map.sizes[i] = sizes[i];
    map.box[i] = box[i];
    map.element_strides[i] = element_strides[i];
    if (i > 0) {
      map.strides[i - 1] = strides[i - 1];
    }
  }
  const auto bytes = emulate::encode(map);
  if (!bytes) {
    add_finding(bytes.error().message);
    return k_invalid_value;
  }
  std::memcpy(to, bytes->data(), bytes->size());
  return k_success;
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
          : code == k_too_large     ? "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
          : code == k_not_supported ? "CUDA_ERROR_NOT_SUPPORTED"
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
