#include "tune/stored_space.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {

double StoredTrial::ratio() const
{
  if (ratios.empty()) {
    return 0;
  }
  double sum = 0;
  for (const double ratio : ratios) {
    sum += std::log(ratio);
  }
  return std::exp(sum / static_cast<double>(ratios.size()));
}

double StoredSpace::seconds() const
{
  double sum = 0;
  for (const StoredTrial& trial : trials) {
    sum += trial.build_s + trial.validate_s + trial.measure_s;
  }
  return sum;
}

kernel::TuningSpace StoredSpace::space() const
{
  kernel::TuningSpace space;
  space.parameters = parameters;
  return space;
}

void add_trial(StoredSpace& space, StoredTrial trial)
{
  const auto known = std::ranges::find(space.trials, trial.point, &StoredTrial::point);
  if (known == space.trials.end()) {
    space.trials.push_back(std::move(trial));
    return;
  }
  if (trial.status != record::Status::correct) {
    known->status = trial.status;
    known->ratios.clear();
  } else if (known->status == record::Status::correct) {
    known->ratios.insert(known->ratios.end(), trial.ratios.begin(), trial.ratios.end());
  }
  known->call_s = trial.call_s > 0 ? trial.call_s : known->call_s;
  known->build_s += trial.build_s;
  known->validate_s += trial.validate_s;
  known->measure_s += trial.measure_s;
}

} // namespace hone::tune
