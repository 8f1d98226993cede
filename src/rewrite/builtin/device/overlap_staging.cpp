#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Two blocks for each operand: the next slice is loaded while this one is added, with one barrier a slice.
Result<void> overlap_staging(lower::Schedule& schedule, const RewriteSubject&)
{
  if (schedule.has_done("copy-asynchronously")) {
    return fail("asynchronous copies fill blocks ahead already", "choose one of the two steps");
  }
  if (schedule.has_done("tensor-copies")) {
    return fail("other warps fill blocks ahead already", "choose one of the two steps");
  }
  return schedule.has_done("matrix-instructions") ? Result<void>() : check_done(schedule, "stage-in-local-memory");
}

} // namespace hone::rewrite
