// The few functions of the CUDA driver that are used, found at run time: of NVIDIA's libcuda.so.1 where there is a GPU,
// else of the emulated driver beside the runner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone::backend::runner {

using CuResult = int; // CUresult
using CuDevice = int;
using CuHandle = void*; // contexts, modules, functions, streams
using CuAddress = unsigned long long;

constexpr CuResult k_cu_success = 0;
enum CuAttribute : int { // CUdevice_attribute
  k_cu_most_items = 1,
  k_cu_shared_per_block = 8,
  k_cu_warp_size = 10,
  k_cu_clock_khz = 13,
  k_cu_units = 16,
  k_cu_memory_clock_khz = 36,
  k_cu_memory_bus_bits = 37,
  k_cu_l2_bytes = 38,
  k_cu_major = 75,
  k_cu_minor = 76,
  k_cu_shared_per_unit = 81,
  k_cu_registers_per_unit = 82,
  k_cu_shared_opt_in = 97,
};
constexpr int k_cu_function_dynamic_shared = 8; // CUfunction_attribute
constexpr int k_cu_launch_cluster = 4;          // CUlaunchAttributeID

struct alignas(64) EncodedMap { // CUtensorMap
  std::uint64_t words[16] = {};
};

struct CuLaunchAttribute { // CUlaunchAttribute: a number, and its value at 8 bytes of 72
  int number = 0, unused = 0;
  unsigned cluster[16] = {};
};

struct CuLaunchConfig { // CUlaunchConfig
  unsigned grid[3] = {}, block[3] = {};
  unsigned shared_bytes = 0;
  CuHandle stream = nullptr;
  const CuLaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// Wide because it lists the functions of the driver that are called.
struct CuApi {
  CuResult (*init)(unsigned);
  CuResult (*driver_version)(int*);
  CuResult (*device_get)(CuDevice*, int);
  CuResult (*device_name)(char*, int, CuDevice);
  CuResult (*device_attribute)(int*, int, CuDevice);
  CuResult (*retain_context)(CuHandle*, CuDevice);
  CuResult (*set_context)(CuHandle);
  CuResult (*module_load)(CuHandle*, const void*);
  CuResult (*module_unload)(CuHandle);
  CuResult (*module_function)(CuHandle*, CuHandle, const char*);
  CuResult (*function_set)(CuHandle, int, int);
  CuResult (*allocate)(CuAddress*, std::size_t);
  CuResult (*release)(CuAddress);
  CuResult (*to_device)(CuAddress, const void*, std::size_t);
  CuResult (*to_host)(void*, CuAddress, std::size_t);
  CuResult (*set_bytes)(CuAddress, unsigned char, std::size_t);
  CuResult (*set_shorts)(CuAddress, unsigned short, std::size_t);
  CuResult (*set_words)(CuAddress, unsigned, std::size_t);
  CuResult (*launch)(CuHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuHandle, void**,
                     void**);
  CuResult (*synchronize)();
  CuResult (*error_name)(CuResult, const char**);
  CuResult (*error_text)(CuResult, const char**);
  // Null before CUDA 12.
  CuResult (*encode_map)(EncodedMap*, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                         const std::uint64_t* strides, const unsigned* box, const unsigned* element_strides,
                         int interleave, int swizzle, int promotion, int fill);
  CuResult (*launch_with)(const CuLaunchConfig*, CuHandle, void**, void**);
  // Of the emulated driver only, else null: what it found wrong since it was asked last.
  const char* (*findings)();
};

// Opens a library. "" when all functions are there, else what is missing.
std::string open_cuda(const char* library, CuApi& api);

} // namespace hone::backend::runner
