// The steps of a bundle once more, from the files before each of them: by the built-in engine, or with the answers that
// a model gave then, for the vectors of the device that they were made for. Nothing is compiled or judged; it says
// where the world is another one.
#pragma once

#include "bundle/bundle.h"

#include <string>
#include <vector>

namespace hone {

struct StepAgain {
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
Result<std::vector<StepAgain>> carry_out_again(const Kernel& kernel, const Bundle& bundle,
                                               const PlanScope& device_facts,
                                               const std::vector<Transformation>& catalogue, const fs::path& prompts);

} // namespace hone
