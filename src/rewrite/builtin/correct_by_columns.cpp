#include "lower/contraction_view.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Of two operands of bytes of one kind A is flipped, as it is read, and not B, as it is packed: sums of columns come
// from the packed strips, which are at hand, and A is read once.
Result<void> correct_by_columns(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.form != "dots") {
    return fail("there are no groups of bytes yet", "do dot-products first");
  }
  HONE_TRY(const lower::ContractionView view, lower::dot_view(subject.kernel));
  const kernel::DataType a = view.contraction.a->type;
  if (a == kernel::DataType::bf16 || a != view.contraction.b->type) {
    return fail("the operands' products need no correction", "leave this step out");
  }
  schedule.column_sums = true;
  return {};
}

} // namespace hone::rewrite
