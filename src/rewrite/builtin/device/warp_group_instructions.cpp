#include "lower/matrix_shape.h"
#include "rewrite/builtin/device/item_edits.h"

#include <fmt/format.h>

namespace hone::rewrite {

// Four warps carry out an instruction together, which reads both operands from local memory: Hopper's.
Result<void> warp_group_instructions(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_done(schedule, "swizzle-local-memory"));
  HONE_CHECK(check_done(schedule, "matrix-instructions"));
  if (subject.dialect.name != "cuda") {
    return fail(subject.dialect.name + " has no instructions of warp groups", "choose another step");
  }
  HONE_TRY(const lower::MatrixShape shape, lower::matrix_shape(subject.kernel, subject.dialect));
  if (!shape.warp_groups) {
    return fail(fmt::format("instructions of warp groups take no elements of {}", kernel::name_of(shape.type)),
                "choose copy-asynchronously");
  }
  if (shape.type == kernel::DataType::f32 && subject.kernel.accuracy.tolerance.relative < lower::k_tf32_cut) {
    return fail("instructions of warp groups read f32 as it lies and cut it off to tf32, and the kernel's accuracy ("
                  + kernel::accuracy_text(subject.kernel) + ") does not admit it",
                "choose matrix-loads, which rounds; or give relative = 0.002 in [accuracy] of kernel.toml");
  }
  HONE_CHECK(check_apart(schedule, "matrix-loads", "fragments are loaded to registers already"));
  for (const char* name : {"WARPS_M", "WARPS_N", "FRAGMENTS_M", "FRAGMENTS_N"}) {
    remove_parameter(schedule, name);
  }
  add_parameter(schedule, "WARPS_M", {4, 8}, 4);
  add_parameter(schedule, "FRAGMENTS_M", {1, 2}, 1);
  add_parameter(schedule, "FRAGMENTS_N", {8, 16, 32}, 16);
  return {};
}

} // namespace hone::rewrite
