#include "cli/climb_view.h"

#include "cli/format.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Tone progress_tone(const Progress& progress)
{
  const bool correct = progress.record && progress.record->verdict.status == Status::correct;
  if (!correct) {
    return Tone::bad;
  }
  return progress.accepted ? Tone::good : Tone::faint;
}

// "FAST", "SLOW", ... of a timed step; else the gate's status.
std::string outcome_of(const Progress& progress)
{
  if (progress.record && progress.record->verdict.status == Status::correct
      && !progress.record->verdict.comparisons.empty()) {
    return std::string(name_of(progress.record->verdict.comparisons.front().verdict));
  }
  return progress.status;
}

} // namespace

ClimbView::ClimbView(Terminal& terminal, Regime regime, double flops, double floor_s)
  : m_terminal(terminal), m_regime(regime), m_flops(flops), m_floor_s(floor_s)
{
}

std::string ClimbView::row(const std::string& step, const std::string& status, const std::string& time,
                           const std::string& rate, const std::string& speedup, const std::string& ceiling,
                           const std::string& library) const
{
  return fmt::format("{:<34} {:<12} {:>9} {:>9} {:>9} {:>9} {:>9}", step.substr(0, 34), status, time, rate, speedup,
                     ceiling, library);
}

void ClimbView::heading()
{
  m_terminal.note(
    m_terminal.paint_note(Tone::strong, row("step", "outcome", "time", "GFLOP/s", "speed-up", "ceiling", "library")
                                          + "  elapsed  checkpoint"));
}

std::string ClimbView::elapsed() const
{
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_begin;
  return fmt::format("{:.0f} s", passed.count());
}

void ClimbView::show(const Progress& progress)
{
  if (!progress.finished) {
    m_terminal.status(fmt::format("{}: {} ... {}", progress.step, progress.status, elapsed()));
    return;
  }
  std::string time = "-", rate, ceiling, library;
  if (progress.record) {
    const Verdict& verdict = progress.record->verdict;
    const auto& estimate = m_regime == Regime::cold ? verdict.cold : verdict.hot;
    if (estimate && estimate->median > 0) {
      const double seconds = estimate->median;
      time = format_seconds(seconds);
      rate = m_flops > 0 ? fmt::format("{:.1f}", m_flops / seconds / 1e9) : "";
      ceiling = m_floor_s > 0 ? fmt::format("{:.1f} %", 100 * m_floor_s / seconds) : "";
      library = m_library_s > 0 ? fmt::format("{:.1f} %", 100 * m_library_s / seconds) : "";
    }
  }
  const std::string speedup = progress.speedup > 0 ? ratio_text(progress.speedup) : "";
  std::string line = row(progress.step, outcome_of(progress), time, rate, speedup, ceiling, library);
  line += fmt::format("  {:>7}", elapsed());
  if (!progress.checkpoint.empty()) {
    line += "  " + short_id(progress.checkpoint);
  }
  m_terminal.clear_status();
  m_terminal.note(m_terminal.paint_note(progress_tone(progress), line));
  if (!progress.note.empty()) {
    m_terminal.note(m_terminal.paint_note(Tone::faint, "    " + progress.note));
  } else if (progress.record && progress.record->verdict.status != Status::correct) {
    m_terminal.note(m_terminal.paint_note(Tone::faint, "    " + progress.record->verdict.reason));
  }
}

} // namespace hone::cli
