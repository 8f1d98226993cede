// The CPUs that measurements run on. (internal to the gate)
#pragma once

#include <vector>

namespace hone::gate {

// All that this process may use, in the order in which threads should take them: away from CPU 0, where most interrupts
// arrive, and one of each core before their siblings.
std::vector<int> usable_cpus();

// A CPU that no other Hone on this machine measures on: two at once keep out of each other's way while there are CPUs.
// The kernel gives it back when the process ends, however it ends.
class CpuClaim {
public:
  // The first of these that nobody has claimed; where all are, the first, shared.
  explicit CpuClaim(const std::vector<int>& cpus);
  CpuClaim(const CpuClaim&) = delete;
  CpuClaim& operator=(const CpuClaim&) = delete;
  ~CpuClaim();

  int cpu() const { return m_cpu; }

private:
  bool claim(int cpu);

  int m_cpu = 0;
  int m_socket = -1;
};

// The same CPUs, this one first.
std::vector<int> beginning_with(int cpu, std::vector<int> cpus);

} // namespace hone::gate
