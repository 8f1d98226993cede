// A runner as a process: started fast, awaited with a deadline, always collected. (internal to the gate)
#pragma once

#include "backend/runner_abi.h"
#include "backend/runner_link.h"
#include "util/fs.h"

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace hone {

class RunnerProcess final : public RunnerLink {
public:
  // Descriptors: job, reply, then the job's mappings; nothing else is inherited, and the environment is empty.
  static Result<std::unique_ptr<RunnerLink>> start(const fs::path& program, const RunnerFiles& files);
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess() override; // kills it and waits for it

  void wake() override;
  void wait(std::uint32_t seen, Clock::duration patience) override;
  std::optional<ProcessEnd> ended(std::chrono::milliseconds patience) override;
  ProcessEnd kill() override;
  Clock::time_point now() const override { return Clock::now(); }
  double cpu_seconds() const override;
  double waited_seconds() const override;
  pid_t pid() const override { return m_pid; }
  void stop(bool stopped) const override; // SIGSTOP or SIGCONT

private:
  explicit RunnerProcess(const RunnerFiles& files) : m_files(files) {}

  RunnerFiles m_files;
  pid_t m_pid = -1;
  int m_pidfd = -1;
  clockid_t m_cpu_clock = 0;
  std::optional<ProcessEnd> m_end;
};

} // namespace hone
