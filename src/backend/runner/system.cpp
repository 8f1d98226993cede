#include "backend/runner/system.h"

#include <ctime>
#include <limits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone::backend::runner {

void wait_while(const std::uint32_t* word, std::uint32_t seen)
{
  syscall(SYS_futex, word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void publish(std::uint32_t* word, std::uint32_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void publish_to_all(std::uint32_t* word, std::uint32_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

bool pin_thread(int thread, int cpu)
{
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<unsigned>(cpu), &cpus);
  return sched_setaffinity(thread, sizeof cpus, &cpus) == 0;
}

const char* pin_this_thread(int cpu)
{
  return cpu < 0 || pin_thread(0, cpu) ? nullptr : "could not be pinned to the CPU of the measurement";
}

std::uint32_t read_word(const std::uint32_t* word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

std::uint64_t now_ns()
{
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void exit_now(int status)
{
  for (;;) {
    syscall(SYS_exit_group, status);
  }
}

} // namespace hone::backend::runner
