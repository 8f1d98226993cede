// What the journal holds of the tuning of one checkpoint, as a stored space.
#pragma once

#include "policy/policy.h"
#include "tune/stored_space.h"

namespace hone::policy {

// Trials of all sessions that were made in the context's environment, sizes and regime; the checkpoint's own point is
// what their ratios are measured against. Without any trial: a space without trials.
Result<tune::StoredSpace> tuned_space(const PolicyContext& context, const std::string& checkpoint);

} // namespace hone::policy
