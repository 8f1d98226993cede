#include "util/process.h"

#include "util/spawn_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace hone {

namespace {

using Clock = std::chrono::steady_clock;

// An owned file descriptor that can be closed early.
class Pipe {
public:
  bool open() { return ::pipe2(m_ends, O_CLOEXEC) == 0; }
  ~Pipe()
  {
    close_end(0);
    close_end(1);
  }
  int end(int which) const { return m_ends[which]; }
  void close_end(int which)
  {
    if (m_ends[which] >= 0) {
      ::close(std::exchange(m_ends[which], -1));
    }
  }

private:
  int m_ends[2] = {-1, -1};
};

std::vector<char*> pointers_to(const std::vector<std::string>& strings)
{
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    pointers.push_back(const_cast<char*>(string.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

sigset_t broken_pipes()
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  return signals;
}

// In its folder, with the pipes in place of its standard streams. 0, or why there is no such program: an errno.
int spawn(pid_t& child, const std::string& folder, const Pipe& in, const Pipe& out, const Pipe& err, char* const* argv,
          char* const* environment)
{
  SpawnSetting setting(broken_pipes());
  posix_spawn_file_actions_adddup2(setting.files(), in.end(0), 0);
  posix_spawn_file_actions_adddup2(setting.files(), out.end(1), 1);
  posix_spawn_file_actions_adddup2(setting.files(), err.end(1), 2);
  if (!folder.empty()) {
    posix_spawn_file_actions_addchdir_np(setting.files(), folder.c_str());
  }
  return posix_spawnp(&child, argv[0], setting.files(), setting.attributes(), argv, environment);
}

// Keeps the first `cap` bytes; returns false at end of file.
bool drain(int fd, std::string& kept, std::size_t cap, bool& cut)
{
  char buffer[16384];
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  const auto count = static_cast<std::size_t>(got);
  const std::size_t room = std::min(count, cap - std::min(cap, kept.size()));
  kept.append(buffer, room);
  cut = cut || room < count;
  return got > 0;
}

// How long a program may still run.
class Patience {
public:
  Patience(Clock::time_point deadline, const std::stop_token& stop) : m_deadline(deadline), m_stop(stop) {}

  bool is_over() const { return m_stop.stop_requested() || Clock::now() >= m_deadline; }
  // For poll: afterwards it may not be over yet.
  int milliseconds() const
  {
    constexpr std::int64_t k_most = 3'600'000, k_between_looks = 10;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, m_stop.stop_possible() ? k_between_looks : k_most));
  }

private:
  Clock::time_point m_deadline;
  const std::stop_token& m_stop;
};

// Feeds and drains the pipes until both outputs are closed. Returns false where patience ends before.
bool converse(const ProcessRequest& request, Pipe& in, Pipe& out, Pipe& err, const Patience& patience,
              ProcessOutcome& outcome)
{
  std::string_view input = request.input;
  bool out_open = true;
  bool err_open = true;
  while (out_open || err_open) {
    pollfd watched[3] = {
      {out_open ? out.end(0) : -1, POLLIN, 0}, {err_open ? err.end(0) : -1, POLLIN, 0}, {in.end(1), POLLOUT, 0}};
    const int ready = ::poll(watched, 3, patience.milliseconds());
    if (ready < 0 && errno != EINTR) {
      return true;
    }
    if (ready <= 0) {
      if (patience.is_over()) {
        return false;
      }
      continue;
    }
    if (watched[0].revents != 0) {
      out_open = drain(out.end(0), outcome.out, request.output_cap, outcome.output_cut);
    }
    if (watched[1].revents != 0) {
      err_open = drain(err.end(0), outcome.err, request.output_cap, outcome.output_cut);
    }
    if (watched[2].revents != 0) {
      const ssize_t put = input.empty() ? 0 : ::write(in.end(1), input.data(), input.size());
      if (put > 0) {
        input.remove_prefix(static_cast<std::size_t>(put));
      }
      const bool reader_gone = put < 0 && errno != EINTR && errno != EAGAIN;
      if (input.empty() || reader_gone) {
        in.close_end(1);
      }
    }
  }
  return true;
}

// Waits for the child itself, which may outlive its outputs. Returns false where patience ends before.
bool await_end(pid_t child, const Patience& patience, int& status)
{
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (pidfd >= 0) {
    pollfd watched{pidfd, POLLIN, 0};
    int ready = -1;
    do {
      ready = ::poll(&watched, 1, patience.milliseconds());
    } while ((ready < 0 && errno == EINTR) || (ready == 0 && !patience.is_over()));
    ::close(pidfd);
    if (ready == 0) {
      return false;
    }
  }
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return true;
}

std::unexpected<Error> not_started(const std::string& program, int code)
{
  const std::string hint = code == ENOENT ? fmt::format("install the package that provides '{}'", program) : "";
  return fail(fmt::format("cannot start '{}': {}", program, std::strerror(code)), hint);
}

} // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request)
{
  if (request.argv.empty()) {
    return fail("cannot start a program without a name");
  }
  Pipe in, out, err;
  if (!in.open() || !out.open() || !err.open()) {
    return fail(fmt::format("cannot make pipes for '{}': {}", request.argv[0], std::strerror(errno)));
  }
  const std::vector<char*> argv = pointers_to(request.argv);
  std::vector<char*> environment;
  if (request.environment) {
    environment = pointers_to(*request.environment);
  }

  const auto start = Clock::now();
  const Patience patience(start + request.deadline, request.stop);
  pid_t child = -1;
  if (const int code = spawn(child, request.folder.string(), in, out, err, argv.data(),
                             request.environment ? environment.data() : environ)) {
    return not_started(request.argv[0], code);
  }
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  ::fcntl(in.end(1), F_SETFL, O_NONBLOCK);

  ProcessOutcome outcome;
  int status = 0;
  const bool ended = converse(request, in, out, err, patience, outcome) && await_end(child, patience, status);
  // Also when it ended in time: what it left running in its group must not outlive it.
  ::kill(-child, SIGKILL);
  if (!ended) {
    outcome.stopped = request.stop.stop_requested();
    outcome.timed_out = !outcome.stopped;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (WIFEXITED(status)) {
    outcome.exit_status = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    outcome.signal = WTERMSIG(status);
  }
  return outcome;
}

} // namespace hone
