#include "lower/element_lowering.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Each statement by itself: neighbouring elements of its target go into the lanes of vectors, or neighbouring terms of
// its sums, whichever lie side by side in memory.
Result<void> vectorize_elements(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", "leave this step out, or write it by hand");
  }
  lower::Schedule next;
  next.form = "elements";
  next.fused = schedule.fused;
  next.running = schedule.running;
  next.done = schedule.done;
  HONE_TRY(const lower::ElementForms forms, lower::element_forms(subject.kernel, next, subject.dialect));
  add_parameter(next, "VECTORS", {1, 2, 4, 8}, forms.short_sums ? 1 : subject.dialect.vector_bytes >= 64 ? 4 : 2);
  if (forms.one_index) {
    add_parameter(next, "COLUMNS", {256, 1024, 4096, 16384}, 4096);
  }
  schedule = std::move(next);
  return {};
}

} // namespace hone::rewrite
