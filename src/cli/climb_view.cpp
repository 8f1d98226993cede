#include "cli/climb_view.h"

#include "cli/format.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::cli {

using namespace app;

namespace {

// Green: it was kept. Yellow: the measurements do not decide. Red: it is wrong. What was skipped, or brought nothing,
// is no fault.
Tone progress_tone(const policy::Progress& progress)
{
  if (!progress.record) {
    return Tone::faint;
  }
  const record::Verdict& verdict = progress.record->verdict;
  if (verdict.status != record::Status::correct) {
    return Tone::bad;
  }
  const bool undecided =
    !verdict.comparisons.empty() && verdict.comparisons.front().verdict == record::Comparison::ambiguous;
  return undecided ? Tone::warning : progress.accepted ? Tone::good : Tone::faint;
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

std::string cut(const std::string& text, std::size_t most)
{
  return text.size() <= most ? text : text.substr(0, most - 1) + "~";
}

// 79 columns: a row never wraps on the narrowest usual terminal.
std::string row(const std::string& step, const std::string& outcome, const std::string& time, const std::string& rate,
                const std::string& speedup, const std::string& roof, const std::string& library,
                const std::string& elapsed)
{
  return fmt::format("{:<23} {:<11} {:>8} {:>7} {:>7} {:>5} {:>5} {:>6}", cut(step, 23), cut(outcome, 11), time, rate,
                     speedup, roof, library, elapsed);
}

std::string elapsed_text(const ClimbScale& scale)
{
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - scale.begin;
  return fmt::format("{:.0f} s", passed.count());
}

} // namespace

void show_climb_heading(Terminal& terminal, const ClimbScale& scale)
{
  terminal.note(
    terminal.paint_note(Tone::strong, row("step", "outcome", "time", scale.bound_by.empty() ? "GFLOP/s" : "GB/s",
                                          "gain", "roof", "lib", "after")));
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
      const double amount = scale.bound_by.empty() ? scale.flops : scale.bytes;
      rate = amount > 0 ? fmt::format("{:.1f}", amount / seconds / 1e9) : "";
      ceiling = scale.floor_s > 0 ? fmt::format("{:.0f}%", 100 * scale.floor_s / seconds) : "";
      library = scale.library_s > 0 ? fmt::format("{:.0f}%", 100 * scale.library_s / seconds) : "";
    }
  }
  const std::string speedup = progress.speedup > 0 ? ratio_text(progress.speedup) : "";
  const std::string line =
    row(progress.step, outcome_of(progress), time, rate, speedup, ceiling, library, elapsed_text(scale));
  terminal.clear_status();
  terminal.note(terminal.paint_note(progress_tone(progress), line));
  if (!progress.note.empty()) {
    terminal.note(terminal.paint_note(Tone::faint, "    " + progress.note));
  } else if (progress.record && progress.record->verdict.status != record::Status::correct) {
    terminal.note(terminal.paint_note(Tone::faint, "    " + progress.record->verdict.reason));
  }
}

} // namespace hone::cli
