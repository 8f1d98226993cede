#include "backend/hip/hip_backend.h"

#include "backend/cuda/gpu_backend.h"

namespace hone::backend {
namespace {

std::string_view hip_arch(std::string_view capability, bool emulated)
{
  return emulated || capability == "9.0" ? "gfx90a" : capability.starts_with("11.") ? "gfx1100" : "gfx942";
}

} // namespace

const Backend& hip_backend()
{
  static const GpuBackend backend({"hip", "HIP", "hone-runner-hip", lower::hip_dialect, hip_arch});
  return backend;
}

} // namespace hone::backend
