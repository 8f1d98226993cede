#include "backend/cuda/runner/cuda_api.h"

#include <dlfcn.h>

namespace hone::backend::runner {

namespace {

template <class Function> bool find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

std::string open_cuda(const char* library, CuApi& api)
{
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    return std::string(library) + " cannot be opened";
  }
  const bool all =
    find(opened, "cuInit", api.init) && find(opened, "cuDriverGetVersion", api.driver_version)
    && find(opened, "cuDeviceGet", api.device_get) && find(opened, "cuDeviceGetName", api.device_name)
    && find(opened, "cuDeviceGetAttribute", api.device_attribute)
    && find(opened, "cuDevicePrimaryCtxRetain", api.retain_context) && find(opened, "cuCtxSetCurrent", api.set_context)
    && find(opened, "cuModuleLoadData", api.module_load) && find(opened, "cuModuleUnload", api.module_unload)
    && find(opened, "cuModuleGetFunction", api.module_function) && find(opened, "cuFuncSetAttribute", api.function_set)
    && find(opened, "cuMemAlloc_v2", api.allocate) && find(opened, "cuMemFree_v2", api.release)
    && find(opened, "cuMemcpyHtoD_v2", api.to_device) && find(opened, "cuMemcpyDtoH_v2", api.to_host)
    && find(opened, "cuMemsetD8_v2", api.set_bytes) && find(opened, "cuMemsetD16_v2", api.set_shorts)
    && find(opened, "cuMemsetD32_v2", api.set_words) && find(opened, "cuLaunchKernel", api.launch)
    && find(opened, "cuCtxSynchronize", api.synchronize) && find(opened, "cuGetErrorName", api.error_name)
    && find(opened, "cuGetErrorString", api.error_text);
  if (!all) {
    return std::string(library) + " lacks functions of the CUDA driver";
  }
  find(opened, "cuTensorMapEncodeTiled", api.encode_map);
  find(opened, "cuLaunchKernelEx", api.launch_with);
  find(opened, "hone_emulated_findings", api.findings);
  return "";
}

} // namespace hone::backend::runner
