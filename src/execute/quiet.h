// Whether this machine is busy with other work now, and how to wait until it is not.
//
// Threads that compute are looked at: what their own CPU clocks miss of the wall time, others had. This holds in
// containers, where /proc/stat and /proc/loadavg may be those of the host, and it counts only what would disturb a
// measurement: a load on CPUs that nobody here needs is none.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace hone::execute {

// The share of CPU time, of the thread that lost most, that others took from so many threads.
double probe_lost_share(int threads, std::chrono::milliseconds length = std::chrono::milliseconds(200));

// Until two looks in a row find a share of at most `quiet`, or for so long at most. `look`: the probe; `told`: each
// share. True: it is quiet.
struct QuietWait {
  double quiet = 0.02;
  std::chrono::seconds most{0};
  std::function<double()> look = {};
  std::function<void(double)> told = {};
  std::stop_token stop = {};
  std::chrono::milliseconds pause{1000}; // between looks
};
bool wait_for_quiet(const QuietWait& wait);

} // namespace hone::execute
