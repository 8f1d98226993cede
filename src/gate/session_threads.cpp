#include "gate/session_threads.h"

#include "util/fs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <unistd.h>

namespace hone::gate {
namespace {

using Clock = std::chrono::steady_clock;

template <std::size_t N> const char* read_again(int fd, std::array<char, N>& text)
{
  const ssize_t size = pread(fd, text.data(), N - 1, 0);
  text[static_cast<std::size_t>(std::max<ssize_t>(size, 0))] = '\0';
  return text.data();
}

// 'R' runs or waits for a CPU, 'S' and 'D' sleep, 'T' is stopped; 0 when the thread has ended.
char state_of(int fd)
{
  std::array<char, 256> text;
  const char* name_end = std::strrchr(read_again(fd, text), ')');
  return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '\0';
}

struct Times {
  double cpu_s = 0, waited_s = 0;
};

Times times_of(int fd)
{
  std::array<char, 128> text;
  char* end = nullptr;
  Times times;
  times.cpu_s = 1e-9 * static_cast<double>(std::strtoull(read_again(fd, text), &end, 10));
  times.waited_s = 1e-9 * static_cast<double>(std::strtoull(end, nullptr, 10));
  return times;
}

} // namespace

Result<RunnerThreads> RunnerThreads::watch(pid_t process)
{
  const fs::path tasks = fmt::format("/proc/{}/task", process);
  std::vector<int> ids;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(tasks, ignored)) {
    ids.push_back(std::atoi(entry.path().filename().c_str()));
  }
  std::ranges::sort(ids, {}, [&](int id) { return std::pair(id != process, id); });
  RunnerThreads watched;
  for (const int id : ids) {
    const fs::path folder = tasks / std::to_string(id);
    const Thread thread{open((folder / "stat").c_str(), O_RDONLY | O_CLOEXEC),
                        open((folder / "schedstat").c_str(), O_RDONLY | O_CLOEXEC)};
    watched.m_threads.push_back(thread);
    if (thread.state_fd < 0 || thread.times_fd < 0) {
      return fail(fmt::format("cannot watch a runner's threads in {}: {}", folder.string(), std::strerror(errno)),
                  "measure with --threads 1, or make /proc readable and raise the limit on open files (ulimit -n)");
    }
  }
  if (ids.empty()) {
    return fail(fmt::format("{} cannot be read", tasks.string()), "measure with --threads 1");
  }
  return watched;
}

RunnerThreads::RunnerThreads(RunnerThreads&& other) noexcept : m_threads(std::move(other.m_threads))
{
  other.m_threads.clear();
}

RunnerThreads& RunnerThreads::operator=(RunnerThreads&& other) noexcept
{
  std::swap(m_threads, other.m_threads);
  return *this;
}

RunnerThreads::~RunnerThreads()
{
  for (const Thread& thread : m_threads) {
    close(thread.state_fd);
    close(thread.times_fd);
  }
}

ThreadTimes RunnerThreads::times() const
{
  ThreadTimes sum;
  for (std::size_t i = 0; i < m_threads.size(); ++i) {
    const Times times = times_of(m_threads[i].times_fd);
    if (i == 0) {
      sum.main_cpu_s = times.cpu_s;
      sum.main_waited_s = times.waited_s;
    } else {
      sum.others_waited_s += times.waited_s;
    }
  }
  return sum;
}

// What a thread used is exact once it sleeps, and too old by up to a clock tick at the first look; the time that passed
// is exact, but may be another program's. The smaller of the two is the thread's.
double RunnerThreads::wait_for_rest(std::chrono::milliseconds patience) const
{
  const auto resting = [](const Thread& thread) { return state_of(thread.state_fd) != 'R'; };
  const auto begin = Clock::now();
  double restless_s = 0;
  for (const Thread& thread : std::span(m_threads).subspan(1)) {
    if (resting(thread)) {
      continue;
    }
    const Times before = times_of(thread.times_fd);
    while (!resting(thread) && Clock::now() - begin < patience) {
    }
    const Times after = times_of(thread.times_fd);
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin).count();
    restless_s += std::min(after.cpu_s - before.cpu_s, elapsed_s);
  }
  return restless_s;
}

void RunnerThreads::wait_until_stopped(bool stopped, std::chrono::milliseconds patience) const
{
  const auto begin = Clock::now();
  for (const Thread& thread : m_threads) {
    const auto is_stopped = [&] { return state_of(thread.state_fd) == 'T'; };
    while (is_stopped() != stopped && Clock::now() - begin < patience) {
    }
  }
}

double waited_seconds(pid_t process)
{
  const Result<RunnerThreads> threads = RunnerThreads::watch(process);
  const ThreadTimes times = threads ? threads->times() : ThreadTimes{};
  return times.main_waited_s + times.others_waited_s;
}

} // namespace hone::gate
