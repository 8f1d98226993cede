// State of the inspection in progress, in one object: access hooks and signal handlers get no argument. One inspection
// at a time, in one thread.
#pragma once

#include "backend/cpu/watch/code_map.h"
#include "backend/cpu/watch/watched_memory.h"

#include <iosfwd>

namespace hone::backend::cpu {

class CountedCall;
class LaunchExecution;

struct InspectorState {
  WatchedMemory* watched = nullptr; // while a group runs whose accesses are recorded
  WatchedMemory* call = nullptr;    // from the beginning to the end of a call
  LaunchExecution* launch = nullptr;
  CountedCall* counted = nullptr; // while a group runs whose accesses are counted, in place of `watched`
  std::ofstream* findings = nullptr;
  CodeMap code;             // of instrumented.so, while it runs
  bool keeps_stack = false; // the stack below a group's frames is left as the group left it

  // Read by signal handlers.
  volatile bool is_group_running = false;
  volatile bool is_recording = false; // an access of that group
  volatile bool is_expired = false;   // the deadline passed while an access was recorded
  volatile bool is_yield_due = false; // the current group is to yield, even if it reached its limit
};

extern InspectorState g_inspector;

// Last line of findings.txt: missing if a candidate ends the process.
inline constexpr const char* k_end_of_findings = "end\n";

void write_findings(const WatchedMemory& memory);

// For calls that cannot continue: writes what was found so far.
[[noreturn]] void exit_with_findings();

// A crash of a group becomes a finding; what was found before it or before the deadline is not lost.
void install_signal_handlers();

// Every so often marks a yield as due, also for groups that wait in plain loads; 0: no more.
void set_yield_timer(long microseconds);

} // namespace hone::backend::cpu
