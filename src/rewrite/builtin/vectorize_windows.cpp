#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/window_edits.h"

namespace hone::rewrite {

// Neighbouring columns go into the lanes of vectors; where some of their windows lie outside, lanes are left out.
Result<void> vectorize_windows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", "leave this step out, or write it by hand");
  }
  lower::Schedule vectors = schedule;
  vectors.form = "windows";
  vectors.loops = {{lower::Dimension::n, lower::LoopKind::registers, "lanes", true, ""}};
  add_parameter(vectors, "VECTORS", {1, 2, 3, 4}, 2);
  HONE_TRY(const kernel::Candidate printed, lower::lower_schedule(subject.kernel, vectors, subject.dialect));
  schedule = std::move(vectors);
  return {};
}

} // namespace hone::rewrite
