// The form "items": each statement as a function in which work-items compute tiles. (internal to the room)
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

// Statements without such a form have one work-item per element, as before any step. An error where no statement has
// one.
Result<LoweredProgram> lower_items(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

// The form "group-rows": statements that go over the same rows share a launch, in which the items of a group share
// rows.
Result<LoweredProgram> lower_group_rows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
