#include "lower/element_lowering.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

#include <fmt/format.h>

namespace hone::rewrite {

// Rows, or elements, whose sums read the same operands are computed side by side, so that each operand is loaded once
// for all of them.
Result<void> tile_elements(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.form != "elements") {
    return fail("there are no vectors of elements to tile", "carry out vectorize-elements first");
  }
  HONE_TRY(const lower::ElementForms forms, lower::element_forms(subject.kernel, schedule, subject.dialect));
  if (!forms.tiles) {
    return fail("no sum reads what its neighbours read", "leave this step out");
  }
  const bool wide = subject.dialect.vector_bytes >= 64;
  const int registers = wide ? 24 : 12; // what is left holds operands
  add_parameter(schedule, "REG_M", {1, 2, 3, 4, 6, 8}, wide ? 4 : 3);
  add_parameter(schedule, "TILE_M", {8, 16, 32, 64, 128}, 32);
  schedule.constraints = {fmt::format("REG_M * VECTORS <= {}", registers)};
  if (forms.planes) {
    add_parameter(schedule, "REG_N", {1, 2, 3, 4, 6}, wide ? 4 : 3);
    schedule.constraints.push_back(fmt::format("REG_M * REG_N <= {}", registers));
  }
  return {};
}

} // namespace hone::rewrite
