#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Operands that several items of a group read come through local memory, SLICE_K terms of the sum at a time.
Result<void> stage_in_local_memory(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "group-outputs"));
  add_parameter(schedule, "SLICE_K", {8, 16, 32, 64}, 16);
  return {};
}

} // namespace hone::rewrite
