// The climb as a person watches it: one line per finished step, a status line for the one in progress.
// (internal to the cli)
#pragma once

#include "cli/terminal.h"
#include "policy/policy.h"

#include <chrono>

namespace hone::cli {

class ClimbView {
public:
  // `flops` and `floor_s` per call; 0 where unknown: the column stays empty then.
  ClimbView(Terminal& terminal, Regime regime, double flops, double floor_s);
  void set_library_time(double seconds) { m_library_s = seconds; } // of the best library; 0: none
  void heading();
  void show(const Progress& progress);

private:
  std::string row(const std::string& step, const std::string& status, const std::string& time, const std::string& rate,
                  const std::string& speedup, const std::string& ceiling, const std::string& library) const;
  std::string elapsed() const;

  Terminal& m_terminal;
  Regime m_regime;
  double m_flops = 0;
  double m_floor_s = 0;
  double m_library_s = 0;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

} // namespace hone::cli
