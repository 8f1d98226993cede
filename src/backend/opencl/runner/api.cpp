#include "backend/opencl/runner/api.h"

#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

template <class Function> bool find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

const char* open_opencl(const char* path, ClApi& api)
{
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return " is not installed";
  }
  const bool complete =
    find(library, "clGetPlatformIDs", api.get_platform_ids) && find(library, "clGetPlatformInfo", api.get_platform_info)
    && find(library, "clGetDeviceIDs", api.get_device_ids) && find(library, "clGetDeviceInfo", api.get_device_info)
    && find(library, "clCreateContext", api.create_context)
    && find(library, "clCreateCommandQueue", api.create_command_queue)
    && find(library, "clCreateProgramWithSource", api.create_program_with_source)
    && find(library, "clCreateProgramWithBinary", api.create_program_with_binary)
    && find(library, "clGetProgramInfo", api.get_program_info) && find(library, "clBuildProgram", api.build_program)
    && find(library, "clGetProgramBuildInfo", api.get_program_build_info)
    && find(library, "clCreateKernel", api.create_kernel) && find(library, "clSetKernelArg", api.set_kernel_arg)
    && find(library, "clCreateBuffer", api.create_buffer) && find(library, "clReleaseMemObject", api.release_mem_object)
    && find(library, "clCreateSubBuffer", api.create_sub_buffer) && find(library, "clReleaseKernel", api.release_kernel)
    && find(library, "clReleaseProgram", api.release_program)
    && find(library, "clEnqueueWriteBuffer", api.enqueue_write_buffer)
    && find(library, "clEnqueueNDRangeKernel", api.enqueue_nd_range_kernel)
    && find(library, "clEnqueueFillBuffer", api.enqueue_fill_buffer)
    && find(library, "clEnqueueReadBuffer", api.enqueue_read_buffer) && find(library, "clFinish", api.finish);
  return complete ? nullptr : " lacks functions of OpenCL 1.2";
}

} // namespace hone::backend::runner
