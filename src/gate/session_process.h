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

namespace hone::gate {

class RunnerProcess final : public backend::RunnerLink {
public:
  // Descriptors: job, reply, then the job's mappings; nothing else is inherited, and the environment is empty.
  static Result<std::unique_ptr<backend::RunnerLink>> start(const fs::path& program, const backend::RunnerFiles& files);
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess() override; // kills it and waits for it

  void wake() override;
  void wait(std::uint32_t seen, Clock::duration patience) override;
  std::optional<backend::ProcessEnd> ended(std::chrono::milliseconds patience) override;
  backend::ProcessEnd kill() override;
  Clock::time_point now() const override { return Clock::now(); }
  double cpu_seconds() const override;
  double waited_seconds() const override;
  pid_t pid() const override { return m_pid; }
  void stop(bool stopped) const override; // SIGSTOP or SIGCONT

private:
  explicit RunnerProcess(const backend::RunnerFiles& files) : m_files(files) {}

  backend::RunnerFiles m_files;
  pid_t m_pid = -1;
  int m_pidfd = -1;
  clockid_t m_cpu_clock = 0;
  std::optional<backend::ProcessEnd> m_end;
};

} // namespace hone::gate
