// Repeats the steps of a bundle, each on the files before it: with the built-in engine, or with the model's recorded
// answers, and for the vector width of the original device. Nothing is compiled or judged; differences are reported.
#pragma once

#include "bundle/bundle.h"

#include <string>
#include <vector>

namespace hone::bundle {

struct RepeatedStep {
  std::string transformation;
  enum class How {
    taken,
    builtin,
    model
  } how = How::taken;             // taken as it is: a start, a tuned point, code from outside
  bool same = true;               // the files that came out are those of the bundle
  std::vector<std::string> other; // what is not as it was, whether it mattered or not
};

// `catalogue`: the steps as they are worded now. `prompts`: where requests come from now.
Result<std::vector<RepeatedStep>> repeat_steps(const kernel::Kernel& kernel, const Bundle& bundle,
                                               const kernel::PlanScope& device_facts,
                                               const std::vector<catalogue::Transformation>& catalogue,
                                               const fs::path& prompts);

} // namespace hone::bundle
