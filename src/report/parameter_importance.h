// How much each tuning parameter explains of what a session measured. (internal to the report room)
#pragma once

#include "record/record.h"

#include <string>
#include <vector>

namespace hone::report {

struct TuningTrial {
  kernel::TuningPoint point;
  double ratio = 1; // speed over the checkpoint that the point varies
};

struct ParameterImportance {
  std::string name;
  double share = 0; // 0 to 1
};

bool is_tuning_trial(const record::Record& record);

// Of the variance of log(ratio), the share between the means of a parameter's values (eta squared), largest first. Only
// parameters of which several values were tried, and some value twice: each value once would explain everything.
std::vector<ParameterImportance> importance_of_parameters(const std::vector<TuningTrial>& trials);

} // namespace hone::report
