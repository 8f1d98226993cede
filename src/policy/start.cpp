#include "lower/lower.h"
#include "policy/policy.h"

namespace hone {

Result<Candidate> start_candidate(const Kernel& kernel, const Backend& backend)
{
  if (!kernel.folder.empty()) {
    const fs::path own = start_folder(kernel.folder, backend.name());
    std::error_code error;
    if (fs::is_directory(own, error)) {
      return load_candidate(kernel, own);
    }
  }
  return naive_candidate(kernel, backend.dialect());
}

} // namespace hone
