// What a job took, in its workflow's ledger. (internal to the policy room)
#pragma once

#include "record/verdict.h"
#include "workflow/workflow.h"

namespace hone {

Result<void> book_time(Workflow& workflow, const Verdict& verdict);

} // namespace hone
