#include "backend/library/gemm_mapping.h"
#include "backend/library/library.h"
#include "gate/gate.h"

namespace hone::gate {

std::vector<Baseline> baselines_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                    const backend::Backend& backend)
{
  const auto call = backend::gemm_call_for(kernel, sizes);
  if (!call) {
    return {};
  }
  std::vector<Baseline> baselines;
  for (const backend::LibraryBaseline& library : backend::library_baselines(*call, backend.name())) {
    baselines.push_back({library.name, library.setting, library.load_s});
  }
  return baselines;
}

} // namespace hone::gate
