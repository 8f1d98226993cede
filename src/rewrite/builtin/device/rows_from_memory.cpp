#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Only what is shared by rows is staged: an item reads its few rows straight into registers.
Result<void> rows_from_memory(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "stage-in-local-memory"));
  return schedule.has_done("dense-local-memory")
           ? fail("the block of rows has been laid out already", "choose one of the two steps")
           : Result<void>();
}

} // namespace hone::rewrite
