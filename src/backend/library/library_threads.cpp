#include "backend/library/library_threads.h"

#include "backend/runner/system.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace hone::backend::runner {
namespace {

constexpr const char* k_failure = "a library's threads could not be pinned to the CPUs of the measurement";

// All but the main one, oldest first.
std::vector<pid_t> further_threads()
{
  std::vector<pid_t> threads;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) {
    return threads;
  }
  while (const dirent* entry = readdir(folder)) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0 && thread != getpid()) {
      threads.push_back(thread);
    }
  }
  closedir(folder);
  std::sort(threads.begin(), threads.end());
  return threads;
}

} // namespace

const char* set_library_threads(std::uint32_t threads)
{
  char count[16];
  std::snprintf(count, sizeof count, "%u", threads);
  for (const char* name :
       {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (setenv(name, count, 1) != 0) {
      return "no memory for the library's settings";
    }
  }
  // One thread needs none of oneMKL's threading; with more it may not take fewer than it is given.
  const char* const layer = threads == 1 ? "SEQUENTIAL" : "INTEL";
  const bool set = setenv("MKL_THREADING_LAYER", layer, 1) == 0 && setenv("MKL_INTERFACE_LAYER", "LP64", 1) == 0
                   && setenv("MKL_DYNAMIC", "FALSE", 1) == 0;
  return set ? nullptr : "no memory for the library's settings";
}

const char* allow_all_cpus(const JobView& job)
{
  if (job.workers() == 1) {
    return nullptr;
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (std::uint32_t i = 0; i < job.workers(); ++i) {
    CPU_SET(static_cast<unsigned>(job.worker(i).cpu), &cpus);
  }
  return sched_setaffinity(0, sizeof cpus, &cpus) == 0 ? nullptr : k_failure;
}

const char* spread_threads(const JobView& job)
{
  const std::vector<pid_t> threads = further_threads();
  if (job.workers() == 1 || threads.empty()) {
    return nullptr;
  }
  bool pinned = pin_thread(0, job.worker(0).cpu);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto worker = static_cast<std::uint32_t>((i + 1) % job.workers());
    pinned = pin_thread(threads[i], job.worker(worker).cpu) && pinned;
  }
  return pinned ? nullptr : k_failure;
}

} // namespace hone::backend::runner
