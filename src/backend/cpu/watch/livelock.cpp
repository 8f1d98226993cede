#include "backend/cpu/watch/livelock.h"

#include <utility>

namespace hone::backend::cpu {
namespace {

constexpr double k_digest_period_s = 0.25;

}

bool LivelockDetector::observe(double now_s, const std::function<std::uint64_t()>& digest)
{
  const bool first = !std::exchange(m_started, true);
  if (!first && now_s - m_last_digest_s < k_digest_period_s) {
    return false;
  }
  const std::uint64_t digest_now = digest();
  if (first || digest_now != m_digest) {
    m_unchanged_since_s = now_s;
  }
  m_last_digest_s = now_s;
  m_digest = digest_now;
  return now_s - m_unchanged_since_s >= k_limit_s;
}

} // namespace hone::backend::cpu
