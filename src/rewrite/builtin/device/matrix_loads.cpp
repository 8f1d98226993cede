#include "lower/matrix_shape.h"
#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// A warp loads four matrices of eight rows of 16 bytes by one instruction. Where lines hold rows or columns, elements
// of 16 bits are transposed on the way, and others loaded one by one.
Result<void> matrix_loads(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_done(schedule, "matrix-instructions"));
  if (schedule.has_done("warp-group-instructions")) {
    return fail("instructions of warp groups read local memory by themselves", "choose another step");
  }
  HONE_TRY(const lower::MatrixShape shape, lower::matrix_shape(subject.kernel, subject.dialect));
  if (shape.element_bytes > 4) {
    return fail("an instruction that loads matrices gives an item 32 bits, and an element has more",
                "choose copy-asynchronously");
  }
  return subject.dialect.name == "cuda"
           ? Result<void>()
           : fail(subject.dialect.name + " has no instruction that loads matrices", "choose another step");
}

} // namespace hone::rewrite
