#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Types, index computations and constants get names in macros.h; the loops stay as they are.
Result<void> refactor_into_macros(lower::Schedule& schedule, const RewriteSubject&)
{
  schedule.macros = true;
  return {};
}

} // namespace hone::rewrite
