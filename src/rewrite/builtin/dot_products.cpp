#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

#include <fmt/format.h>

namespace hone::rewrite {

// Narrow operands are multiplied in groups along the sum, tile by tile: plain loops become one nest in one step, as
// nothing between the two would be faster than either.
Result<void> dot_products(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::dot_view(subject.kernel));
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", "leave this step out, or write it by hand");
  }
  const bool integers = !kernel::is_float(view.statement->type);
  if (integers && view.contraction.epilogue->kind != kernel::ExprKind::hole) {
    return fail("what is done to a sum of integers has no vector form", "leave this step out, or write it by hand");
  }
  HONE_CHECK(lower::check_vector_epilogue(subject.kernel, view, subject.dialect));
  schedule.form = "dots";
  schedule.loops.clear();
  const bool wide = subject.dialect.vector_bytes >= 64;
  add_parameter(schedule, "TILE_M", {48, 96, 192, 384, 768, 1536}, 768);
  add_parameter(schedule, "TILE_N", {64, 128, 192, 256, 384, 768}, 128);
  add_parameter(schedule, "TILE_K", {256, 512, 1024, 2048, 4096}, 1024);
  add_parameter(schedule, "REG_M", {2, 4, 5, 6, 8, 10, 12, 14}, 6);
  add_parameter(schedule, "VECTORS", {1, 2, 3, 4}, wide ? 4 : 2);
  add_parameter(schedule, "UNROLL_K", {1, 2, 4}, 1);
  schedule.constraints = {fmt::format("REG_M * VECTORS <= {}", wide ? 24 : 12), "TILE_N % (VECTORS * 16) == 0",
                          "shared <= device.shared_per_block"};
  return {};
}

} // namespace hone::rewrite
