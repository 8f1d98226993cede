// What a job took, and how it is booked in its workflow. (internal to the policy room)
#pragma once

#include "record/verdict.h"
#include "store/store.h"

namespace hone::policy {

double seconds_spent(const record::Verdict& verdict); // of all phases

Result<void> book_time(store::Workflow& workflow, const record::Verdict& verdict);

} // namespace hone::policy
