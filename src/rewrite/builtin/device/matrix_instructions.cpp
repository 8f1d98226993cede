#include "lower/lower.h"
#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Warps in place of single items: FRAGMENTS_M x FRAGMENTS_N small products each, by instructions that the items of a
// warp carry out together. Operands come through local memory, SLICE_K terms at a time.
Result<void> matrix_instructions(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (lower::matrix_items(subject.dialect) == 0) {
    return fail(subject.dialect.name + " has no matrix instructions here", "choose another step");
  }
  if (schedule.has_done("group-outputs") || schedule.has_done("vector-loads")) {
    return fail("this candidate's groups consist of single items", "carry it out before other steps");
  }
  HONE_CHECK(make_items(schedule));
  add_parameter(schedule, "WARPS_M", {1, 2, 4}, 2);
  add_parameter(schedule, "WARPS_N", {1, 2, 4}, 2);
  add_parameter(schedule, "FRAGMENTS_M", {1, 2, 4}, 2);
  add_parameter(schedule, "FRAGMENTS_N", {1, 2, 4, 8}, subject.dialect.name == "cuda" ? 4 : 2);
  add_parameter(schedule, "SLICE_K", {16, 32, 64}, 32);
  add_parameter(schedule, "PAD", {0, 8}, 8);
  return {};
}

} // namespace hone::rewrite
