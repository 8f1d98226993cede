// What every use case gets: settings, a way to stop it, and whom it tells what it is doing.
#pragma once

#include "app/settings.h"
#include "policy/policy.h"

#include <chrono>
#include <stop_token>
#include <string_view>

namespace hone::app {

// What the times of a climb are set against; 0 where it is not known.
struct ClimbScale {
  record::Regime regime = record::Regime::cold;
  double flops = 0;     // per call
  double bytes = 0;     // that a call must move at least
  double floor_s = 0;   // seconds of a call at best, by the device's ceilings
  std::string bound_by; // the level whose bandwidth says so ("DRAM", "L2"); empty: arithmetic
  double library_s = 0; // seconds of a call of the fastest library
  std::chrono::seconds budget{0};
  double lost_at_begin = 0; // share of CPU time that others took before the first job
  double timed_s = 0;       // of blocks so far, of this run
  double lost_s = 0;        // of them, to others
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

// Share of CPU time lost to others: in what was timed, or, where nothing was yet, before.
double lost_share(const ClimbScale& scale);
bool is_busy(const ClimbScale& scale);
// "quiet: others took 0 % of the CPU time before the first job", "busy: ...".
std::string load_text(const ClimbScale& scale);

// Is told what a use case is doing while it works. Results are no progress: they are what the use case returns. Called
// on the thread that called the use case.
class Observer {
public:
  virtual ~Observer() = default;
  virtual void note(std::string_view) {}    // a line worth keeping
  virtual void warning(std::string_view) {} // the same, of something that is wrong though the work goes on
  virtual void status(std::string_view) {}  // what is being done now; the next one replaces it
  virtual void clear_status() {}            // that has ended
  virtual void climb_begins(const ClimbScale&) {}
  virtual void climb_step(const policy::Progress&, const ClimbScale&) {}
  virtual void climb_ends() {} // also after an error
};

// Listens to nothing.
Observer& silent_observer();

struct Context {
  Settings settings;
  std::stop_token stop; // requested: what is in flight ends as soon as possible, and what was reached is kept
  Observer* observer = &silent_observer();
};

} // namespace hone::app
