// The few functions of OpenCL that are used, found at run time: neither the build nor the program needs OpenCL.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::backend::runner {

using ClInt = std::int32_t;
using ClUint = std::uint32_t;
using ClBits = std::uint64_t;
using ClHandle = void*; // platforms, devices, contexts, queues, programs, kernels, buffers

constexpr ClInt k_cl_success = 0;
constexpr ClBits k_cl_device_type_cpu = 1 << 1;
constexpr ClBits k_cl_mem_read_write = 1 << 0;
constexpr ClBits k_cl_mem_read_only = 1 << 2;
constexpr ClBits k_cl_mem_use_host_ptr = 1 << 3;
constexpr ClBits k_cl_mem_copy_host_ptr = 1 << 5;
constexpr ClUint k_cl_buffer_create_type_region = 0x1220;
constexpr ClUint k_cl_platform_name = 0x0902;
constexpr ClUint k_cl_device_max_compute_units = 0x1002;
constexpr ClUint k_cl_device_max_work_group_size = 0x1004;
constexpr ClUint k_cl_device_local_mem_size = 0x1023;
constexpr ClUint k_cl_device_name = 0x102B;
constexpr ClUint k_cl_driver_version = 0x102D;
constexpr ClUint k_cl_device_version = 0x102F;
constexpr ClUint k_cl_device_native_vector_width_float = 0x103A;
constexpr ClUint k_cl_program_build_log = 0x1183;
constexpr ClUint k_cl_program_binary_sizes = 0x1165;
constexpr ClUint k_cl_program_binaries = 0x1166;

struct ClRegion {
  std::size_t origin, size; // bytes
};

// Wide because it lists the functions of OpenCL that are called.
struct ClApi {
  ClInt (*get_platform_ids)(ClUint, ClHandle*, ClUint*);
  ClInt (*get_platform_info)(ClHandle, ClUint, std::size_t, void*, std::size_t*);
  ClInt (*get_device_ids)(ClHandle, ClBits, ClUint, ClHandle*, ClUint*);
  ClInt (*get_device_info)(ClHandle, ClUint, std::size_t, void*, std::size_t*);
  ClHandle (*create_context)(const std::intptr_t*, ClUint, const ClHandle*, void*, void*, ClInt*);
  ClHandle (*create_command_queue)(ClHandle, ClHandle, ClBits, ClInt*);
  ClHandle (*create_program_with_source)(ClHandle, ClUint, const char**, const std::size_t*, ClInt*);
  ClHandle (*create_program_with_binary)(ClHandle, ClUint, const ClHandle*, const std::size_t*, const unsigned char**,
                                         ClInt*, ClInt*);
  ClInt (*get_program_info)(ClHandle, ClUint, std::size_t, void*, std::size_t*);
  ClInt (*build_program)(ClHandle, ClUint, const ClHandle*, const char*, void*, void*);
  ClInt (*get_program_build_info)(ClHandle, ClHandle, ClUint, std::size_t, void*, std::size_t*);
  ClHandle (*create_kernel)(ClHandle, const char*, ClInt*);
  ClInt (*set_kernel_arg)(ClHandle, ClUint, std::size_t, const void*);
  ClHandle (*create_buffer)(ClHandle, ClBits, std::size_t, void*, ClInt*);
  ClHandle (*create_sub_buffer)(ClHandle, ClBits, ClUint, const void*, ClInt*);
  ClInt (*release_mem_object)(ClHandle);
  ClInt (*release_kernel)(ClHandle);
  ClInt (*release_program)(ClHandle);
  ClInt (*enqueue_nd_range_kernel)(ClHandle, ClHandle, ClUint, const std::size_t*, const std::size_t*,
                                   const std::size_t*, ClUint, const ClHandle*, ClHandle*);
  ClInt (*enqueue_fill_buffer)(ClHandle, ClHandle, const void*, std::size_t, std::size_t, std::size_t, ClUint,
                               const ClHandle*, ClHandle*);
  ClInt (*enqueue_read_buffer)(ClHandle, ClHandle, ClUint, std::size_t, std::size_t, void*, ClUint, const ClHandle*,
                               ClHandle*);
  ClInt (*enqueue_write_buffer)(ClHandle, ClHandle, ClUint, std::size_t, std::size_t, const void*, ClUint,
                                const ClHandle*, ClHandle*);
  ClInt (*finish)(ClHandle);
};

// The library that knows all installed drivers.
constexpr const char* k_opencl_loader = "libOpenCL.so.1";

// nullptr, or what is wrong with the library, to be put behind its name.
const char* open_opencl(const char* library, ClApi& api);

} // namespace hone::backend::runner
