// Writes what a use case tells while it works to the terminal. (internal to the cli)
#pragma once

#include "cli/climb_view.h"

namespace hone::cli {

class TerminalObserver final : public app::Observer {
public:
  explicit TerminalObserver(Terminal& terminal) : m_terminal(terminal) {}

  void note(std::string_view text) override { m_terminal.note(text); }
  void warning(std::string_view text) override { m_terminal.note(m_terminal.paint_note(Tone::warning, text)); }
  void status(std::string_view text) override { m_terminal.status(text); }
  void clear_status() override { m_terminal.clear_status(); }
  void climb_begins(const app::ClimbScale& scale) override { show_climb_heading(m_terminal, scale); }
  void climb_step(const policy::Progress& progress, const app::ClimbScale& scale) override
  {
    show_climb_step(m_terminal, progress, scale);
  }

private:
  Terminal& m_terminal;
};

} // namespace hone::cli
