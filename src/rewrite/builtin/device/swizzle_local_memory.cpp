#include "lower/matrix_shape.h"
#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Rows of a block that hold terms begin one place later each, so that items of a column of rows meet different banks.
// No element is unused, as padding would leave some.
Result<void> swizzle_local_memory(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.has_done("matrix-instructions")) { // pieces of 16 bytes change their places within 128
    HONE_TRY(const lower::MatrixShape shape, lower::matrix_shape(subject.kernel, subject.dialect));
    const int line = k_line_bytes / shape.element_bytes;
    remove_parameter(schedule, "PAD");
    remove_parameter(schedule, "SLICE_K");
    add_parameter(schedule, "SLICE_K", {line, 2 * line}, line);
    return {};
  }
  HONE_CHECK(check_done(schedule, "stage-in-local-memory"));
  return schedule.has_done("dense-local-memory")
           ? fail("the block lies term by term already, where neighbours meet no bank twice", "choose one of the two")
           : Result<void>();
}

} // namespace hone::rewrite
