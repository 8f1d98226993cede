#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Two blocks for each operand: the next slice is loaded while this one is added, with one barrier a slice.
Result<void> overlap_staging(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_apart(schedule, "copy-asynchronously", "asynchronous copies fill blocks ahead already"));
  HONE_CHECK(check_apart(schedule, "tensor-copies", "other warps fill blocks ahead already"));
  return schedule.has_done("matrix-instructions") ? Result<void>() : check_done(schedule, "stage-in-local-memory");
}

} // namespace hone::rewrite
