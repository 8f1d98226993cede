#include "backend/cuda/cuda_backend.h"

#include "backend/cuda/gpu_backend.h"

namespace hone::backend {
namespace {

// Hopper's own instructions need its own architecture.
std::string_view cuda_arch(std::string_view capability, bool)
{
  return capability.empty() || capability == "9.0" ? "sm_90a" : "sm_80";
}

} // namespace

const Backend& cuda_backend()
{
  static const GpuBackend backend({"cuda", "CUDA", "hone-runner-cuda", lower::cuda_dialect, cuda_arch});
  return backend;
}

} // namespace hone::backend
