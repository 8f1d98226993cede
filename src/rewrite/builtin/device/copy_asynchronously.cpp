#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Blocks of STAGES slices, which copies fill ahead while the oldest is used. The copies go past the registers.
Result<void> copy_asynchronously(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_done(schedule, "matrix-instructions"));
  if (subject.dialect.name != "cuda") {
    return fail(subject.dialect.name + " has no asynchronous copies here", "choose overlap-staging");
  }
  if (schedule.has_done("overlap-staging")) {
    return fail("two blocks are filled in turn already", "choose one of the two steps");
  }
  if (schedule.has_done("tensor-copies")) {
    return fail("other warps fill blocks ahead already", "choose one of the two steps");
  }
  add_parameter(schedule, "STAGES", {2, 3, 4, 5}, 3);
  return {};
}

} // namespace hone::rewrite
