// Edits of a row-wise schedule that several rewrites share.
#pragma once

#include "engine/builtin/rewrites.h"

namespace hone {

// The schedule as rows of columns: a work-group per row, a plain loop over its columns. Nothing where it is already.
void go_over_rows(Schedule& schedule);

// An error where a kernel is none that rows help: its statements are matrix products, or have no columns.
Result<void> check_rows(const Schedule& schedule, const RewriteSubject& subject);

} // namespace hone
