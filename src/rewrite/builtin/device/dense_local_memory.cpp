#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// The staged block of rows lies term by term, as it is read; rows of blocks are PAD elements longer than they need be,
// so that items do not meet in one bank.
Result<void> dense_local_memory(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "stage-in-local-memory"));
  if (schedule.has_done("swizzle-local-memory")) {
    return fail("the block's rows are rotated already, so that neighbours meet no bank twice", "choose one of the two");
  }
  add_parameter(schedule, "PAD", {0, 1, 4, 8, 16}, 0);
  return {};
}

} // namespace hone::rewrite
