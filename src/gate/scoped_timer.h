// Adds the seconds of its own life to a total. (internal to the gate)
#pragma once

#include <chrono>

namespace hone::gate {

class ScopedTimer {
public:
  explicit ScopedTimer(double& total) : m_total(total), m_begin(std::chrono::steady_clock::now()) {}
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;
  ~ScopedTimer() { m_total += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count(); }

private:
  double& m_total;
  std::chrono::steady_clock::time_point m_begin;
};

} // namespace hone::gate
