// What a language model says about choices and about what a round taught. It ranks and explains; it measures nothing.
// (internal to the policy blaster)
#pragma once

#include "policy/blaster/learning.h"
#include "policy/blaster/states.h"
#include "policy/blaster_setting.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace hone::policy {

// By technique, 0 to 1. An error: it was not reached, or what it said cannot be used.
Result<std::map<std::string, double>> relevance(const BlasterSetting& setting, const ProfiledState& state,
                                                const std::vector<std::string>& done, const knowledge::Answer& known);

// Updates that the model makes, as changes with its words, in the base; what it said about things it was not shown is
// left out. An error as above: then statistics hold alone.
Result<std::vector<knowledge::Change>> update_by_model(knowledge::Base& base, const BlasterSetting& setting,
                                                       std::span<const Finding> findings, const std::string& run,
                                                       int round);

// What is known about a step, for whoever carries it out.
std::string advice_text(const knowledge::Base& base, const ProfiledState& state, const knowledge::Estimate& step);

} // namespace hone::policy
