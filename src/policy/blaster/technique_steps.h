// Techniques as steps that can be carried out, and what a try was worth. (internal to the policy blaster)
#pragma once

#include "policy/attempt.h"
#include "policy/blaster/states.h"

#include <expected>
#include <string>
#include <vector>

namespace hone::policy {

// What is expected of a step before there is any evidence: by its file, and by the profile.
double expected_without_evidence(const catalogue::Transformation& step, const ProfiledState& state);

// "a+b": the first part is what is carried out now; what follows comes in the next steps.
std::vector<std::string> parts_of(const std::string& technique);
// "unroll-k@UNROLL_K=8": the step that is carried out.
std::string step_of(const std::string& part);
// Its values of parameters; none for a plain step.
kernel::TuningPoint values_in(const std::string& part);
// Sets these values, or says why that is not possible here.
std::expected<void, std::string> set_values(const PolicyContext& context, Attempt& attempt,
                                            const kernel::TuningPoint& values);

// The gain, how well it was expected, and what it cost.
double reward_of(const knowledge::Evidence& evidence);
knowledge::Gain measured_gain(const record::Verdict& verdict, const Judgement& judgement, record::Regime regime);

} // namespace hone::policy
