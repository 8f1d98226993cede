// The threads of a runner that has several, as the kernel sees them: whether they sleep, and how long they were kept
// waiting for a CPU. The clock of a process is stale while its threads run elsewhere; once they sleep it is exact.
// (internal to the gate)
#pragma once

#include "util/result.h"

#include <chrono>
#include <sys/types.h>
#include <vector>

namespace hone::gate {

// Of the main thread and of all others together. Exact for threads that sleep.
struct ThreadTimes {
  double main_cpu_s = 0;
  double main_waited_s = 0; // runnable, but something else had the CPU
  double others_waited_s = 0;
};

// So far, all threads that a process has now together; 0 where that cannot be read.
double waited_seconds(pid_t process);

class RunnerThreads {
public:
  RunnerThreads() = default;
  // The threads that the process has now.
  static Result<RunnerThreads> watch(pid_t process);
  RunnerThreads(RunnerThreads&& other) noexcept;
  RunnerThreads& operator=(RunnerThreads&& other) noexcept;
  ~RunnerThreads();

  ThreadTimes times() const;
  // Until all threads beside the main one sleep; gives up after `patience`. Seconds for which they worked on beyond the
  // first look.
  double wait_for_rest(std::chrono::milliseconds patience) const;
  // Until every thread is stopped (true) or none is (false).
  void wait_until_stopped(bool stopped, std::chrono::milliseconds patience) const;

private:
  struct Thread {
    int state_fd = -1; // /proc/PID/task/TID/stat
    int times_fd = -1; // /proc/PID/task/TID/schedstat
  };
  std::vector<Thread> m_threads; // the main one first
};

} // namespace hone::gate
