#include "neighbour.h"

#include "gate/cpus.h"

#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hone {

namespace {

constexpr std::size_t k_bytes = 128U << 20; // far beyond the last-level cache a CPU has to itself

[[noreturn]] void copy_for_ever(int cpu)
{
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(cpu), &only);
  sched_setaffinity(0, sizeof only, &only);
  std::vector<char> from(k_bytes, 1), to(k_bytes, 2);
  for (;;) {
    std::memcpy(to.data(), from.data(), k_bytes);
    asm volatile("" ::"r"(to.data()) : "memory");
    std::swap(from, to);
  }
}

} // namespace

Result<Neighbour> Neighbour::start()
{
  const std::vector<int> cpus = gate::usable_cpus();
  if (cpus.size() < 2) {
    return fail("there is no CPU for a neighbour: Hone may use one here",
                "allow two (taskset), or leave --neighbour out");
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    return fail("cannot start the neighbour: no further process", "see `ulimit -u`");
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(0);
    }
    copy_for_ever(cpus.back());
  }
  return Neighbour(pid);
}

Neighbour::Neighbour(Neighbour&& other) noexcept : m_pid(std::exchange(other.m_pid, -1)) {}

Neighbour::~Neighbour()
{
  if (m_pid > 0) {
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
  }
}

} // namespace hone
