#include "gate/cpus.h"

#include "util/util.h"

#include <fmt/format.h>

#include <sched.h>
#include <set>
#include <string>

namespace hone {
namespace {

// The same text for all CPUs of a core; a CPU that says nothing is a core of its own.
std::string core_of(int cpu)
{
  const auto siblings = read_file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  return siblings ? *siblings : std::to_string(cpu);
}

} // namespace

std::vector<int> usable_cpus()
{
  cpu_set_t usable;
  CPU_ZERO(&usable);
  sched_getaffinity(0, sizeof usable, &usable);
  std::vector<int> first, siblings;
  std::set<std::string> cores;
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &usable)) {
      (cores.insert(core_of(cpu)).second ? first : siblings).push_back(cpu);
    }
  }
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first.empty() ? std::vector{0} : first;
}

} // namespace hone
