#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// UNROLL_K terms of the innermost sum are printed as one by the compiler.
Result<void> unroll_terms(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "group-outputs"));
  add_parameter(schedule, "UNROLL_K", {1, 2, 4, 8}, 2);
  return {};
}

} // namespace hone::rewrite
