#include "lower/element_lowering.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Statements that read the same matrix go through its rows together, a block at a time: memory delivers it once.
Result<void> share_rows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (!schedule.has_parameter("REG_M")) {
    return fail("rows are shared by tiles of elements, and there are none", "carry out tile-elements first");
  }
  HONE_TRY(const lower::ElementForms forms, lower::element_forms(subject.kernel, schedule, subject.dialect));
  if (!forms.passes) {
    return fail("no neighbouring statements read the rows of one matrix", "leave this step out");
  }
  add_parameter(schedule, "BLOCK_M", {4, 8, 16, 32, 64}, 16);
  return {};
}

} // namespace hone::rewrite
