#include "report/parameter_importance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hone::report {

namespace {

struct ValueGroup {
  double sum = 0;
  double count = 0;
};

} // namespace

bool is_tuning_trial(const record::Record& record)
{
  return record.transformation == "tune-trial";
}

std::vector<ParameterImportance> importance_of_parameters(const std::vector<TuningTrial>& trials)
{
  double sum = 0, squares = 0;
  std::set<std::string> names;
  for (const TuningTrial& trial : trials) {
    const double value = std::log(trial.ratio);
    sum += value;
    squares += value * value;
    for (const auto& [name, of] : trial.point) {
      names.insert(name);
    }
  }
  const auto count = static_cast<double>(trials.size());
  const double total = squares - sum * sum / std::max(count, 1.0); // sum of squares around the mean
  std::vector<ParameterImportance> result;
  for (const std::string& name : names) {
    std::map<std::int64_t, ValueGroup> groups;
    for (const TuningTrial& trial : trials) {
      if (const auto value = trial.point.find(name); value != trial.point.end()) {
        groups[value->second].sum += std::log(trial.ratio);
        groups[value->second].count += 1;
      }
    }
    const bool repeats = std::ranges::any_of(groups, [](const auto& group) { return group.second.count > 1; });
    if (groups.size() < 2 || !repeats || total <= 0) {
      continue;
    }
    double between = -sum * sum / count;
    for (const auto& [value, group] : groups) {
      between += group.sum * group.sum / group.count;
    }
    result.push_back({name, std::clamp(between / total, 0.0, 1.0)});
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &ParameterImportance::share);
  return result;
}

} // namespace hone::report
