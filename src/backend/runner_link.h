// The edge between the gate and whatever carries a runner: start it, wake it, wait for it, end it. Everything that the
// contract says (runner_abi.h) is done above this line, on plain memory.
//
// The real one is a process of its own (gate/session_process.h). Tests put a device that lives in memory in its place.
#pragma once

#include "util/result.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace hone::backend {

namespace runner {
struct Job;
struct Reply;
} // namespace runner

// What the kernel says about the end of a process: not forgeable.
struct ProcessEnd {
  bool exited = false; // else killed by `signal`
  int status = 0;
  int signal = 0;
};

// What a runner is given: the control areas, and the memory that it may map. Descriptors and views are the parent's and
// outlive the runner.
struct RunnerFiles {
  int job_fd = -1;
  int reply_fd = -1;
  std::vector<int> mapping_fds; // handed over from k_first_mapping_fd on
  const runner::Job* job = nullptr;
  runner::Reply* reply = nullptr;
};

class RunnerLink {
public:
  using Clock = std::chrono::steady_clock;

  virtual ~RunnerLink() = default; // ends the runner

  virtual void wake() = 0; // Job::command_sequence has changed
  // Sleeps while Reply::sequence is `seen`, at most this long. May return early.
  virtual void wait(std::uint32_t seen, Clock::duration patience) = 0;
  // The end, where it has come; waits up to `patience` for it.
  virtual std::optional<ProcessEnd> ended(std::chrono::milliseconds patience) = 0;
  virtual ProcessEnd kill() = 0; // no-op when it has ended

  virtual Clock::time_point now() const = 0; // the parent's wall clock
  virtual double cpu_seconds() const = 0;    // used so far, by all threads; 0 once it has ended
  virtual double waited_seconds() const = 0; // so far, for CPUs that something else had
  virtual pid_t pid() const = 0;             // negative: no process
  virtual void stop(bool stopped) const = 0; // suspends it, or lets it go on
};

} // namespace hone::backend
