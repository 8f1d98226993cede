// What the gate says about a candidate that an engine is still working on.
#pragma once

#include "policy/policy.h"

namespace hone::policy {

// Compiled and validated as while searching, not timed and not recorded: only what an engine hands on is a candidate.
// What was found is remembered: hidden sizes and values are drawn, and a model that was asked to mend one mistake is
// not asked about another one when the climb is resumed.
class GateTrial final : public rewrite::Trial {
public:
  explicit GateTrial(const PolicyContext& context) : m_context(context) {}
  Result<rewrite::TrialOutcome> validate(const kernel::Candidate& candidate) override;

private:
  const PolicyContext& m_context;
};

} // namespace hone::policy
