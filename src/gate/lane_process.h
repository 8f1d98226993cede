// A runner as a process: started fast, awaited with a deadline, always collected. (internal to the gate)
#pragma once

#include "gate/lane_job.h"

#include <chrono>
#include <optional>
#include <sys/types.h>

namespace hone {

// What the kernel says about the end of a process: not forgeable.
struct ProcessEnd {
  bool exited = false; // else killed by `signal`
  int status = 0;
  int signal = 0;
};

class RunnerProcess {
public:
  RunnerProcess() = default;
  // Descriptors: job, reply, then the job's mappings; nothing else is inherited, and the environment is empty.
  static Result<RunnerProcess> start(const fs::path& program, const LaneJob& job, int reply_fd);
  RunnerProcess(RunnerProcess&& other) noexcept;
  RunnerProcess& operator=(RunnerProcess&& other) noexcept;
  ~RunnerProcess();

  // The end, where it has come; waits up to `patience` for it.
  std::optional<ProcessEnd> ended(std::chrono::milliseconds patience);
  ProcessEnd kill();          // no-op when it has ended
  double cpu_seconds() const; // used so far; 0 once collected
  pid_t pid() const { return m_pid; }
  void stop(bool stopped) const; // SIGSTOP or SIGCONT

private:
  pid_t m_pid = -1;
  int m_pidfd = -1;
  clockid_t m_cpu_clock = 0;
  std::optional<ProcessEnd> m_end;
};

} // namespace hone
