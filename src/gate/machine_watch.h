// What the machine did while something was timed: time that a hypervisor took, the clock of the CPU, throttling.
// Notes for people; no verdict depends on them. (internal to the gate)
#pragma once

#include "record/explanation.h"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hone::gate {

// Counts since its construction.
class MachineWatch {
public:
  explicit MachineWatch(std::vector<int> cpus);
  // Counts the clock of the CPU that the calling thread runs on, for a third of a millisecond.
  void count_clock();
  record::MachineConditions conditions() const;

private:
  struct Counters {
    std::optional<double> stolen_s, quota_s;
    std::optional<int> throttled;
  };
  Counters read() const;

  std::vector<int> m_cpus;
  std::chrono::steady_clock::time_point m_begin;
  Counters m_before;
  std::vector<double> m_clocks_ghz;
};

// GHz of the CPU that the calling thread runs on now, by the wall clock; nothing on machines for which the loop is not
// written.
std::optional<double> counted_clock_ghz();

// Of all these CPUs together, from the text of /proc/stat.
std::optional<double> stolen_seconds(std::string_view stat, std::span<const int> cpus, double ticks_per_second);
// From the text of a control group's cpu.stat: by its own quota, not by one further up. Nothing where it is not told.
std::optional<double> quota_seconds(std::string_view cpu_stat);

} // namespace hone::gate
