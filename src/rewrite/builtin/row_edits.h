// Edits of a row-wise schedule that several rewrites share.
#pragma once

#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Changes the schedule to rows of columns: a work-group per row, a plain loop over its columns. No effect if it is one.
void make_rowwise(lower::Schedule& schedule);

// An error if rows do not apply to the kernel: its statements are matrix products, or have no columns.
Result<void> check_rows(const lower::Schedule& schedule, const RewriteSubject& subject);

} // namespace hone::rewrite
