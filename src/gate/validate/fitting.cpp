#include "gate/validate/fitting.h"

#include "inputs/sizes.h"

namespace hone::gate {

Result<std::string> why_it_does_not_fit(Validation& validation, const kernel::Sizes& sizes)
{
  if (!inputs::is_far_beyond(validation.kernel(), sizes)) {
    return "";
  }
  HONE_TRY(const auto prepared, validation.setting().prepare(sizes));
  const bool fits = prepared || prepared.error().status != record::Status::constraints
                    || prepared.error().reason.starts_with(kernel::k_launches_nothing)
                    || prepared.error().reason.contains(kernel::k_leaves_64_bits);
  return fits ? "" : prepared.error().reason;
}

} // namespace hone::gate
