#include "gate/session_process.h"

#include "gate/session_threads.h"
#include "util/spawn_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace hone::gate {
namespace {

// Children of this thread start without address space randomisation: the layout is drawn by us, for both arms alike.
class FixedAddresses {
public:
  FixedAddresses() : m_before(personality(0xffffffff))
  {
    if (m_before >= 0) {
      personality(static_cast<unsigned long>(m_before) | ADDR_NO_RANDOMIZE);
    }
  }
  FixedAddresses(const FixedAddresses&) = delete;
  FixedAddresses& operator=(const FixedAddresses&) = delete;
  ~FixedAddresses()
  {
    if (m_before >= 0) {
      personality(static_cast<unsigned long>(m_before));
    }
  }

private:
  int m_before;
};

sigset_t all_signals()
{
  sigset_t signals;
  sigfillset(&signals);
  return signals;
}

// No standard streams, the job and what it maps, nothing else.
void hand_over(posix_spawn_file_actions_t* files, const backend::RunnerFiles& own)
{
  for (int fd = 0; fd <= 2; ++fd) {
    posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(files, own.job_fd, backend::runner::k_job_fd);
  posix_spawn_file_actions_adddup2(files, own.reply_fd, backend::runner::k_reply_fd);
  int next = backend::runner::k_first_mapping_fd;
  for (const int fd : own.mapping_fds) {
    posix_spawn_file_actions_adddup2(files, fd, next++);
  }
  posix_spawn_file_actions_addclosefrom_np(files, next);
}

backend::ProcessEnd end_from(int status)
{
  if (WIFEXITED(status)) {
    return {true, WEXITSTATUS(status), 0};
  }
  return {false, 0, WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL};
}

} // namespace

Result<std::unique_ptr<backend::RunnerLink>> RunnerProcess::start(const fs::path& program,
                                                                  const backend::RunnerFiles& files)
{
  // Its own process group: Ctrl-C ends a job in good order instead of killing a runner, which would look like a crash.
  SpawnSetting setting(all_signals());
  hand_over(setting.files(), files);
  std::string path = program.string();
  char* const argv[] = {path.data(), nullptr};
  char* const environment[] = {nullptr};
  std::unique_ptr<RunnerProcess> process(new RunnerProcess(files));
  int failure = 0;
  {
    const FixedAddresses fixed;
    failure = posix_spawn(&process->m_pid, path.c_str(), setting.files(), setting.attributes(), argv, environment);
  }
  if (failure != 0) {
    process->m_pid = -1;
    return fail(fmt::format("cannot start the runner {}: {}", path, std::strerror(failure)),
                "build or install Hone again, or set HONE_LIBEXEC to the folder of its runner programs");
  }
  process->m_pidfd = static_cast<int>(syscall(SYS_pidfd_open, process->m_pid, 0));
  clock_getcpuclockid(process->m_pid, &process->m_cpu_clock);
  return process;
}

RunnerProcess::~RunnerProcess()
{
  kill();
  if (m_pidfd >= 0) {
    close(m_pidfd);
  }
}

void RunnerProcess::wake()
{
  syscall(SYS_futex, &m_files.job->command_sequence, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void RunnerProcess::wait(std::uint32_t seen, Clock::duration patience)
{
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count();
  const timespec limit = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  syscall(SYS_futex, &m_files.reply->sequence, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

double RunnerProcess::waited_seconds() const
{
  return hone::gate::waited_seconds(m_pid);
}

std::optional<backend::ProcessEnd> RunnerProcess::ended(std::chrono::milliseconds patience)
{
  if (m_end || m_pid < 0) {
    return m_end;
  }
  if (patience.count() > 0) {
    pollfd end = {m_pidfd, POLLIN, 0};
    poll(&end, 1, static_cast<int>(patience.count()));
  }
  int status = 0;
  if (waitpid(m_pid, &status, WNOHANG) == m_pid) {
    m_end = end_from(status);
  }
  return m_end;
}

backend::ProcessEnd RunnerProcess::kill()
{
  if (m_pid < 0) {
    return {};
  }
  if (!m_end) {
    ::kill(m_pid, SIGKILL);
    int status = 0;
    while (waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    m_end = end_from(status);
  }
  return *m_end;
}

void RunnerProcess::stop(bool stopped) const
{
  if (m_pid > 0 && !m_end) {
    ::kill(m_pid, stopped ? SIGSTOP : SIGCONT);
  }
}

double RunnerProcess::cpu_seconds() const
{
  timespec used = {};
  if (m_pid < 0 || m_end || clock_gettime(m_cpu_clock, &used) != 0) {
    return 0;
  }
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

} // namespace hone::gate
