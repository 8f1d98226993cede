#include "record/machine_load.h"

#include <algorithm>

namespace hone::record {

namespace {

double lost_share(const Explanation& explanation, int threads)
{
  double share = explanation.cpu_missing;
  if (explanation.machine && explanation.machine->stolen_s && explanation.machine->seconds > 0) {
    const double cpus = std::max(threads, 1);
    share = std::max(share, *explanation.machine->stolen_s / (explanation.machine->seconds * cpus));
  }
  return std::clamp(share, 0.0, 1.0);
}

} // namespace

void MachineLoad::add(const MachineLoad& other)
{
  timed_s += other.timed_s;
  lost_s += other.lost_s;
}

MachineLoad load_of(const Verdict& verdict, int threads)
{
  MachineLoad load;
  for (const ComparisonResult& comparison : verdict.comparisons) {
    if (comparison.explanation) {
      const double seconds = comparison.explanation->on_clock_s;
      load.add({seconds, seconds * lost_share(*comparison.explanation, threads)});
    }
  }
  return load;
}

} // namespace hone::record
