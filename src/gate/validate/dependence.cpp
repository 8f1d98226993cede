// A kernel whose result its inputs do not decide judges nobody: a candidate that ignores them would pass. Not the
// candidate's fault, so the kernel is refused.
#include "gate/validate/validation.h"

namespace hone::gate {

Result<SessionResult<void>> validate_dependence(Validation& validation)
{
  if (validation.kernel().inputs().empty() || validation.output_varies()) {
    return SessionResult<void>();
  }
  return fail("the output does not depend on the inputs: whatever their values, it stays the same to within its bounds",
              "a candidate that ignores its inputs would pass; state an expression whose result they decide");
}

} // namespace hone::gate
