#include "lower/matrix_shape.h"
#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Warps in place of single items: FRAGMENTS_M x FRAGMENTS_N small products each, by instructions that the items of a
// warp carry out together. Operands come through local memory, SLICE_K terms at a time.
Result<void> matrix_instructions(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::MatrixShape shape, lower::matrix_shape(subject.kernel, subject.dialect));
  if (schedule.has_done("group-outputs") || schedule.has_done("vector-loads")) {
    return fail("this candidate's groups consist of single items", "carry it out before other steps");
  }
  HONE_CHECK(make_items(schedule));
  add_parameter(schedule, "WARPS_M", {1, 2, 4}, 2);
  add_parameter(schedule, "WARPS_N", {1, 2, 4}, 2);
  add_parameter(schedule, "FRAGMENTS_M", {1, 2, 4}, 2);
  add_parameter(schedule, "FRAGMENTS_N", {1, 2, 4, 8}, subject.dialect.name == "cuda" ? 4 : 2);
  const int terms = k_line_bytes / 4 / shape.element_bytes, piece = 16 / shape.element_bytes;
  add_parameter(schedule, "SLICE_K", {terms, 2 * terms, 4 * terms}, 2 * terms);
  add_parameter(schedule, "PAD", {0, piece}, piece);
  return {};
}

} // namespace hone::rewrite
