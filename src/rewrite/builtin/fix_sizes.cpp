#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Sizes become constants, so that the compiler knows strides and trip counts.
Result<void> fix_sizes(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (subject.kernel.also != kernel::AlsoSizes::timed) {
    return fail("this kernel must be right on other sizes, too",
                "say also = \"timed\" in kernel.toml where it is only for its timed ones");
  }
  schedule.fixed_sizes = true;
  return {};
}

} // namespace hone::rewrite
