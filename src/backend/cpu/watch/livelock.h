// Detects a livelock of interleaved groups: the memory through which they may communicate has been unchanged for longer
// than a correct call of that size takes.
#pragma once

#include <cstdint>
#include <functional>

namespace hone::backend::cpu {

class LivelockDetector {
public:
  static constexpr double k_limit_s = 8; // of CPU time

  // Call at each switch of fibers in which no group started or finished, with the CPU time so far. `digest`, of the
  // shared memory, is computed now and then. Returns whether it has been unchanged for the limit.
  bool observe(double now_s, const std::function<std::uint64_t()>& digest);

private:
  bool m_started = false;
  double m_unchanged_since_s = 0;
  double m_last_digest_s = 0; // when it was computed
  std::uint64_t m_digest = 0;
};

} // namespace hone::backend::cpu
