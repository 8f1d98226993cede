#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// A warp loads four matrices of 8 x 8 elements by one instruction, transposed where lines hold rows or columns.
Result<void> matrix_loads(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_done(schedule, "matrix-instructions"));
  if (schedule.has_done("warp-group-instructions")) {
    return fail("instructions of warp groups read local memory by themselves", "choose another step");
  }
  return subject.dialect.name == "cuda"
           ? Result<void>()
           : fail(subject.dialect.name + " has no instruction that loads matrices", "choose another step");
}

} // namespace hone::rewrite
