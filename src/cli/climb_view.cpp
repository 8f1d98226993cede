#include "cli/climb_view.h"

#include "cli/format.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::cli {

using namespace app;

namespace {

Tone progress_tone(const policy::Progress& progress)
{
  const bool correct = progress.record && progress.record->verdict.status == record::Status::correct;
  if (!correct) {
    return Tone::bad;
  }
  return progress.accepted ? Tone::good : Tone::faint;
}

// "FAST", "SLOW", ... of a timed step; else the gate's status.
std::string outcome_of(const policy::Progress& progress)
{
  if (progress.record && progress.record->verdict.status == record::Status::correct
      && !progress.record->verdict.comparisons.empty()) {
    return std::string(record::name_of(progress.record->verdict.comparisons.front().verdict));
  }
  return progress.status;
}

std::string row(const std::string& step, const std::string& status, const std::string& time, const std::string& rate,
                const std::string& speedup, const std::string& ceiling, const std::string& library)
{
  return fmt::format("{:<34} {:<12} {:>9} {:>9} {:>9} {:>9} {:>9}", step.substr(0, 34), status, time, rate, speedup,
                     ceiling, library);
}

std::string elapsed_text(const ClimbScale& scale)
{
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - scale.begin;
  return fmt::format("{:.0f} s", passed.count());
}

} // namespace

void show_climb_heading(Terminal& terminal)
{
  terminal.note(
    terminal.paint_note(Tone::strong, row("step", "outcome", "time", "GFLOP/s", "speed-up", "ceiling", "library")
                                        + "  elapsed  checkpoint"));
}

void show_climb_step(Terminal& terminal, const policy::Progress& progress, const ClimbScale& scale)
{
  if (!progress.finished) {
    terminal.status(fmt::format("{}: {} ... {}", progress.step, progress.status, elapsed_text(scale)));
    return;
  }
  std::string time = "-", rate, ceiling, library;
  if (progress.record) {
    const record::Verdict& verdict = progress.record->verdict;
    const auto& estimate = scale.regime == record::Regime::cold ? verdict.cold : verdict.hot;
    if (estimate && estimate->median > 0) {
      const double seconds = estimate->median;
      time = format_seconds(seconds);
      rate = scale.flops > 0 ? fmt::format("{:.1f}", scale.flops / seconds / 1e9) : "";
      ceiling = scale.floor_s > 0 ? fmt::format("{:.1f} %", 100 * scale.floor_s / seconds) : "";
      library = scale.library_s > 0 ? fmt::format("{:.1f} %", 100 * scale.library_s / seconds) : "";
    }
  }
  const std::string speedup = progress.speedup > 0 ? ratio_text(progress.speedup) : "";
  std::string line = row(progress.step, outcome_of(progress), time, rate, speedup, ceiling, library);
  line += fmt::format("  {:>7}", elapsed_text(scale));
  if (!progress.checkpoint.empty()) {
    line += "  " + short_id(progress.checkpoint);
  }
  terminal.clear_status();
  terminal.note(terminal.paint_note(progress_tone(progress), line));
  if (!progress.note.empty()) {
    terminal.note(terminal.paint_note(Tone::faint, "    " + progress.note));
  } else if (progress.record && progress.record->verdict.status != record::Status::correct) {
    terminal.note(terminal.paint_note(Tone::faint, "    " + progress.record->verdict.reason));
  }
}

} // namespace hone::cli
