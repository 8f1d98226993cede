// What a job took, in its workflow's ledger. (internal to the policy room)
#pragma once

#include "record/verdict.h"
#include "store/store.h"

namespace hone::policy {

Result<void> book_time(store::Workflow& workflow, const record::Verdict& verdict);

} // namespace hone::policy
