// Whether groups that go on in turns still get anywhere: what they may hand on to each other has been the same for so
// long that no honest call of that size could have taken it.
#pragma once

#include <cstdint>
#include <functional>

namespace hone::cpu {

class Standstill {
public:
  static constexpr double k_limit_s = 8; // of CPU time

  // At each turn in which no group began or ended; with the CPU time so far. `digest`, of what could have changed, is
  // asked now and then.
  bool lasts(double now_s, const std::function<std::uint64_t()>& digest);

private:
  bool m_began = false;
  double m_since_s = 0;
  double m_asked_s = 0;
  std::uint64_t m_digest = 0;
};

} // namespace hone::cpu
