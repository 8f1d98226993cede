// The kernel's performance counters (perf_event_open) on this thread and on the processes that it starts from now on.
// (internal to the gate)
//
// Runners are locked: nobody but root may attach counters to one that runs. Counters that it inherits are allowed to
// everybody. Each event counts on its own; where there are more events than counters the kernel takes turns, and a
// count is scaled by the share of the time that it had one.
#pragma once

#include "util/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone::gate {

struct PerfEvent {
  std::string name; // as `perf list` has it: "branch-misses"
  std::uint32_t type;
  std::uint64_t config;
};

// User code only: what the operating system does for a process is not the candidate's.
const std::vector<PerfEvent>& perf_events();

struct PerfCount {
  std::string name;
  double value = 0;   // scaled, of all threads
  double counted = 1; // share of the time in which it had a counter
};

class PerfCounters {
public:
  struct Refused {
    std::string name;
    int error; // errno
  };
  // Before the processes are started. What cannot be counted here is left out, and stands in refused().
  PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;
  ~PerfCounters();

  void start();
  void stop();
  std::vector<PerfCount> counts() const; // between start and stop
  const std::vector<Refused>& refused() const { return m_refused; }

private:
  struct Reading {
    std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
  };
  struct Counter {
    std::string name;
    int descriptor = -1;
    Reading before;
  };
  static Reading read(const Counter& counter);

  std::vector<Counter> m_counters;
  std::vector<Refused> m_refused;
};

} // namespace hone::gate
