// The climb as a person watches it. On a terminal a view of fixed height that is redrawn in place; elsewhere one line
// per finished step. The points of a tuning session are one line in both. (internal to the cli)
#pragma once

#include "app/context.h"
#include "cli/terminal.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hone::cli {

class ClimbView {
public:
  explicit ClimbView(Terminal& terminal) : m_terminal(terminal) {}
  ~ClimbView();

  void begin(const app::ClimbScale& scale);
  void step(const policy::Progress& progress, const app::ClimbScale& scale);
  // What else is being done now; false where no view is shown that could say it.
  bool status(std::string_view text);
  // Leaves the kept steps on the screen.
  void end();

private:
  // The points of a session that was not told yet.
  struct Trials {
    int count = 0;
    policy::Progress best;
  };

  void add_trial(const policy::Progress& progress);
  void tell_trials(const app::ClimbScale& scale);
  void tell(const policy::Progress& progress, const app::ClimbScale& scale);
  void draw();
  std::vector<Line> lines() const;

  Terminal& m_terminal;
  mutable std::mutex m_mutex; // of all below: a thread redraws, so that the clock goes on while a job runs
  std::condition_variable_any m_changed;
  app::ClimbScale m_scale;
  Trials m_trials;
  std::string m_now;
  std::chrono::steady_clock::time_point m_now_since;
  std::string m_tuning;
  std::optional<policy::Progress> m_best;
  std::vector<Line> m_kept; // rows of steps that were kept, oldest first
  bool m_is_shown = false;
  std::jthread m_clock;
};

} // namespace hone::cli
