#include "backend/library/gemm_mapping.h"
#include "backend/library/library.h"
#include "gate/gate.h"

namespace hone::gate {

// The libraries run on the CPU; what they are compared with must run there too.
std::vector<Baseline> baselines_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                    const backend::Backend& backend)
{
  if (backend.name() != "cpu") {
    return {};
  }
  const auto call = backend::gemm_call_for(kernel, sizes);
  if (!call) {
    return {};
  }
  std::vector<Baseline> baselines;
  for (const backend::LibraryBaseline& library : backend::library_baselines(*call)) {
    baselines.push_back({library.name, library.setting});
  }
  return baselines;
}

} // namespace hone::gate
