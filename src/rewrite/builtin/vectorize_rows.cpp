#include "lower/rowwise_lowering.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"
#include "rewrite/builtin/row_edits.h"

namespace hone::rewrite {

// Loops over columns take VECTORS vectors at a time; sums and maxima are kept in as many vectors, and become one number
// at the end of the row.
Result<void> vectorize_rows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", "leave this step out, or write it by hand");
  }
  HONE_CHECK(lower::check_row_vectors(subject.kernel, schedule, subject.dialect));
  make_rowwise(schedule);
  schedule.loops[static_cast<std::size_t>(lower::find_loop(schedule, lower::Dimension::n, lower::LoopKind::serial))]
    .step = "VECTORS * lanes";
  schedule.loops.push_back({lower::Dimension::n, lower::LoopKind::registers, "lanes", true, ""});
  add_parameter(schedule, "VECTORS", {1, 2, 4, 8}, 4);
  return {};
}

} // namespace hone::rewrite
