// What the gate says about a candidate that an engine is still working on.
#pragma once

#include "policy/policy.h"

namespace hone::policy {

// Compiled and validated as it is to be judged afterwards, not timed and not recorded: only what an engine hands on is
// a candidate. What was found is remembered: hidden sizes and values are drawn, and a model that was asked to mend one
// mistake is not asked about another one when the climb is resumed.
class GateTrial final : public rewrite::Trial {
public:
  // `current`: what is transformed.
  GateTrial(const PolicyContext& context, const kernel::Candidate& current, record::Depth depth)
    : m_context(context), m_current(current), m_depth(depth)
  {
  }
  Result<rewrite::TrialOutcome> validate(const kernel::Candidate& candidate) override;

private:
  Result<record::Verdict> validated(const kernel::Candidate& candidate, record::Depth depth) const;
  Result<bool> changes_nothing(const kernel::Candidate& candidate, const record::Verdict& verdict) const;

  const PolicyContext& m_context;
  const kernel::Candidate& m_current;
  record::Depth m_depth;
};

} // namespace hone::policy
