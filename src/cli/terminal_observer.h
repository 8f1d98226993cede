// Writes what a use case tells while it works to the terminal. (internal to the cli)
#pragma once

#include "cli/climb_view.h"

namespace hone::cli {

class TerminalObserver final : public app::Observer {
public:
  explicit TerminalObserver(Terminal& terminal) : m_terminal(terminal), m_view(terminal) {}

  void note(std::string_view text) override { m_terminal.note(text); }
  void warning(std::string_view text) override { m_terminal.warning(text); }
  void status(std::string_view text) override
  {
    if (!m_view.status(text)) {
      m_terminal.status(text);
    }
  }
  void clear_status() override { m_terminal.clear_status(); }
  void climb_begins(const app::ClimbScale& scale) override { m_view.begin(scale); }
  void climb_step(const policy::Progress& progress, const app::ClimbScale& scale) override
  {
    m_view.step(progress, scale);
  }
  void climb_ends() override { m_view.end(); }

private:
  Terminal& m_terminal;
  ClimbView m_view;
};

} // namespace hone::cli
