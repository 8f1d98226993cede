// How busy the machine was with other work while something was timed.
#pragma once

#include "record/verdict.h"

namespace hone::record {

// Below this share of lost CPU time a machine counts as quiet.
constexpr double k_busy_share = 0.05;

struct MachineLoad {
  double timed_s = 0; // wall time of timed blocks
  double lost_s = 0;  // of it, in which others had the CPU of a runner

  double share() const { return timed_s > 0 ? lost_s / timed_s : 0; }
  bool busy() const { return share() > k_busy_share; }
  void add(const MachineLoad& other);
};

// From the comparisons of a verdict. A runner's own CPU clock says what it lost, so that this holds in containers,
// which may not see the load of their host. Time that a hypervisor took and that the runner's clock does not leave out
// comes from /proc/stat; the larger share counts. `threads`: that were timed.
MachineLoad load_of(const Verdict& verdict, int threads);

} // namespace hone::record
