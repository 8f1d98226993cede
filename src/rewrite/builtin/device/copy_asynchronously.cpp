#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Blocks of STAGES slices, which copies fill ahead while the oldest is used. The copies go past the registers.
Result<void> copy_asynchronously(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_done(schedule, "matrix-instructions"));
  if (subject.dialect.name != "cuda") {
    return fail(subject.dialect.name + " has no asynchronous copies here", "choose overlap-staging");
  }
  HONE_CHECK(check_apart(schedule, "overlap-staging", "two blocks are filled in turn already"));
  HONE_CHECK(check_apart(schedule, "tensor-copies", "other warps fill blocks ahead already"));
  add_parameter(schedule, "STAGES", {2, 3, 4, 5}, 3);
  return {};
}

} // namespace hone::rewrite
