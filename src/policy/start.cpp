#include "lower/lower.h"
#include "policy/policy.h"

namespace hone::policy {

Result<kernel::Candidate> start_candidate(const kernel::Kernel& kernel, const backend::Backend& backend)
{
  if (!kernel.folder.empty()) {
    const fs::path own = kernel::start_folder(kernel.folder, backend.name());
    std::error_code error;
    if (fs::is_directory(own, error)) {
      return kernel::load_candidate(kernel, own);
    }
  }
  return lower::naive_candidate(kernel, backend.dialect());
}

} // namespace hone::policy
