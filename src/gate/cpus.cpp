#include "gate/cpus.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sched.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace hone::gate {
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

CpuClaim::CpuClaim(const std::vector<int>& cpus) : m_cpu(cpus.front())
{
  const auto free = std::ranges::find_if(cpus, [this](int cpu) { return claim(cpu); });
  if (free != cpus.end()) {
    m_cpu = *free;
  }
}

CpuClaim::~CpuClaim()
{
  if (m_socket >= 0) {
    close(m_socket);
  }
}

// By the name of a socket that nobody talks to: unlike a file it needs no folder, and is gone with its process.
bool CpuClaim::claim(int cpu)
{
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return false;
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("hone-measures-on-cpu-{}", cpu);
  std::ranges::copy(name, address.sun_path + 1); // a leading zero: no file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    close(fd);
    return false;
  }
  m_socket = fd;
  return true;
}

std::vector<int> beginning_with(int cpu, std::vector<int> cpus)
{
  const auto place = std::ranges::find(cpus, cpu);
  if (place != cpus.end()) {
    std::rotate(cpus.begin(), place, place + 1);
  }
  return cpus;
}

} // namespace hone::gate
