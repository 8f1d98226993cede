#include "cli/climb_view.h"

#include "app/library_names.h"
#include "cli/format.h"
#include "policy/baselines.h"
#include "util/util.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace hone::cli {

using namespace app;

namespace {

constexpr std::size_t k_rows_shown = 4;  // of kept steps
constexpr std::size_t k_least_rows = 14; // of a terminal, for the view and a few lines above it
constexpr std::size_t k_bar = 24;
constexpr std::chrono::milliseconds k_redrawn_every{500};

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

bool is_rival(const policy::Progress& progress)
{
  return progress.step.starts_with(policy::k_baseline_step);
}

// What the best so far was compared with it; null where it was not timed.
const record::ComparisonResult* comparison_of(const policy::Progress& progress)
{
  const bool timed = progress.record && progress.record->verdict.status == record::Status::correct
                     && !progress.record->verdict.comparisons.empty();
  return timed ? &progress.record->verdict.comparisons.front() : nullptr;
}

// The best against a rival; null while rivals are measured alone, at the beginning.
const record::ComparisonResult* duel_of(const policy::Progress& progress)
{
  return is_rival(progress) && progress.record && progress.record->baseline.empty() ? comparison_of(progress) : nullptr;
}

// "FAST", "SLOW", ... of a timed step; else the gate's status.
std::string outcome_of(const policy::Progress& progress)
{
  if (is_rival(progress)) {
    const record::ComparisonResult* duel = duel_of(progress);
    return duel != nullptr ? fmt::format("best {}", record::name_of(duel->verdict)) : progress.status;
  }
  if (progress.step.starts_with(policy::k_trial_step)) {
    return "rough"; // of a few calls each: what comes of them is measured again
  }
  if (progress.step == policy::k_start_step && progress.speedup > 0) {
    return "correct"; // everything is compared with it; an earlier climb's verdict on it says nothing here
  }
  const record::ComparisonResult* comparison = comparison_of(progress);
  return comparison != nullptr ? std::string(record::name_of(comparison->verdict)) : progress.status;
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

double seconds_since(std::chrono::steady_clock::time_point begin)
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string heading(const ClimbScale& scale)
{
  return row("step", "outcome", "time", scale.bound_by.empty() ? "GFLOP/s" : "GB/s", "gain", "roof", "lib", "after");
}

// Seconds per call in the deciding regime; 0: not measured. Of a rival: its own, from ours beside it and the ratio.
double call_seconds(const policy::Progress& progress, const ClimbScale& scale)
{
  if (!progress.record) {
    return 0;
  }
  const record::Verdict& verdict = progress.record->verdict;
  const auto& estimate = scale.regime == record::Regime::cold ? verdict.cold : verdict.hot;
  const double factor = duel_of(progress) != nullptr ? duel_of(progress)->ratio : 1;
  return estimate ? factor * estimate->median : 0;
}

std::string rate_text(const ClimbScale& scale, double seconds)
{
  const double amount = scale.bound_by.empty() ? scale.flops : scale.bytes;
  return amount > 0 ? fmt::format("{:.1f}", amount / seconds / 1e9) : "";
}

// Libraries by their own names: "baseline" before all of them would cut them off.
std::string shown_step(const std::string& step)
{
  const std::string prefix = std::string(policy::k_baseline_step) + " ";
  if (!step.starts_with(prefix)) {
    return step;
  }
  return step.starts_with(prefix + policy::k_plain_loops) ? policy::k_plain_loops
                                                          : short_library_text(step.substr(prefix.size()));
}

// Columns of what is not known stay empty.
std::string row_of(const policy::Progress& progress, const ClimbScale& scale)
{
  std::string time = "-", rate, ceiling, library;
  if (const double seconds = call_seconds(progress, scale); seconds > 0) {
    time = format_seconds(seconds);
    rate = rate_text(scale, seconds);
    ceiling = scale.floor_s > 0 ? fmt::format("{:.0f}%", 100 * scale.floor_s / seconds) : "";
    library = scale.library_s > 0 ? fmt::format("{:.0f}%", 100 * scale.library_s / seconds) : "";
  }
  std::string speedup = progress.speedup > 0 ? ratio_text(progress.speedup) : "";
  if (const record::ComparisonResult* last = comparison_of(progress);
      last != nullptr && progress.step == policy::k_final_step) {
    speedup = short_ratio_text(last->ratio, last->ci95); // as the summary has it
  }
  return row(shown_step(progress.step), outcome_of(progress), time, rate, speedup, ceiling, library,
             fmt::format("{:.0f} s", seconds_since(scale.begin)));
}

std::string remark_of(const policy::Progress& progress)
{
  if (const record::ComparisonResult* duel = duel_of(progress)) {
    return fmt::format("the best is {} as fast as this", ratio_text(duel->ratio, duel->ci95));
  }
  if (!progress.note.empty()) {
    return progress.note;
  }
  const bool failed = progress.record && progress.record->verdict.status != record::Status::correct;
  return failed ? progress.record->verdict.reason : "";
}

std::string bar_line(const ClimbScale& scale)
{
  const double passed = seconds_since(scale.begin);
  const double budget = std::max(static_cast<double>(scale.budget.count()), 1.0);
  const auto full = static_cast<std::size_t>(k_bar * std::clamp(passed / budget, 0.0, 1.0));
  const std::string bar = std::string(full, '#') + std::string(k_bar - full, '.');
  if (passed > budget) {
    return fmt::format("[{}] {:.0f} s of {:.0f} s; the last evaluation is ending", bar, passed, budget);
  }
  const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(budget - passed);
  return fmt::format("[{}] {:.0f} s of {:.0f} s, {:.0f} s left: done by {:%H:%M:%S}", bar, passed, budget,
                     budget - passed, fmt::localtime(end));
}

std::string best_line(const std::optional<policy::Progress>& best, const ClimbScale& scale)
{
  const double seconds = best ? call_seconds(*best, scale) : 0;
  if (seconds <= 0) {
    return "best     -";
  }
  std::string text = fmt::format("best     {}", format_seconds(seconds));
  if (const std::string rate = rate_text(scale, seconds); !rate.empty()) {
    text += fmt::format(", {} {}", rate, scale.bound_by.empty() ? "GFLOP/s" : "GB/s");
  }
  if (best->speedup > 0) {
    text += fmt::format(", {} the start", ratio_text(best->speedup));
  }
  if (scale.floor_s > 0) {
    text += fmt::format(", {:.0f} % of the roof", 100 * scale.floor_s / seconds);
  }
  return text;
}

} // namespace

ClimbView::~ClimbView()
{
  end();
}

void ClimbView::begin(const ClimbScale& scale)
{
  if (!m_terminal.live() || m_terminal.rows() < k_least_rows) {
    m_terminal.note(fmt::format("the machine is {}", load_text(scale)));
    m_terminal.note("FAST, SLOW and SAME compare with the candidate that the step changed. AMBG: the");
    m_terminal.note("measurements do not decide. gain: over the start. roof: share of what is possible.");
    m_terminal.note(m_terminal.paint_note(Tone::strong, heading(scale)));
    return;
  }
  {
    const std::lock_guard lock(m_mutex);
    m_scale = scale;
    m_is_shown = true;
    m_now = "looking at the machine";
    m_now_since = std::chrono::steady_clock::now();
    draw();
  }
  m_clock = std::jthread([this](const std::stop_token& ended) {
    std::unique_lock lock(m_mutex);
    while (!m_changed.wait_for(lock, ended, k_redrawn_every, [&] { return ended.stop_requested(); })) {
      draw();
    }
  });
}

bool ClimbView::status(std::string_view text)
{
  const std::lock_guard lock(m_mutex);
  if (m_is_shown) {
    m_now = text;
    m_now_since = std::chrono::steady_clock::now();
    draw();
  }
  return m_is_shown;
}

void ClimbView::step(const policy::Progress& progress, const ClimbScale& scale)
{
  const std::lock_guard lock(m_mutex);
  m_scale = scale;
  const bool trial = progress.step == policy::k_trial_step;
  if (!trial) {
    tell_trials(scale);
  }
  if (!progress.finished) {
    m_now = fmt::format("{}: {}{}", progress.step, progress.status, progress.note.empty() ? "" : ", " + progress.note);
    m_now_since = std::chrono::steady_clock::now();
    if (!m_is_shown) {
      m_terminal.status(fmt::format("{} ... {:.0f} s", m_now, seconds_since(scale.begin)));
    }
  } else if (trial) {
    add_trial(progress);
  } else {
    tell(progress, scale);
  }
  if (m_is_shown) {
    draw();
  }
}

void ClimbView::add_trial(const policy::Progress& progress)
{
  ++m_trials.count;
  if (m_trials.count == 1 || progress.speedup > m_trials.best.speedup) {
    m_trials.best = progress;
  }
  m_tuning = fmt::format("tuning   {} points, best {}: {}", m_trials.count, ratio_text(m_trials.best.speedup),
                         m_trials.best.note);
}

void ClimbView::tell_trials(const ClimbScale& scale)
{
  if (m_trials.count == 0) {
    return;
  }
  policy::Progress all = m_trials.best;
  all.step = fmt::format("{} x {}", policy::k_trial_step, m_trials.count);
  all.note = "the best of them: " + all.note;
  m_trials = {};
  tell(all, scale);
}

void ClimbView::tell(const policy::Progress& progress, const ClimbScale& scale)
{
  const bool rival = is_rival(progress);
  const bool kept = progress.accepted || (progress.step == policy::k_final_step && progress.record);
  if (!m_is_shown) {
    m_terminal.clear_status();
    m_terminal.note(m_terminal.paint_note(progress_tone(progress), row_of(progress, scale)));
    if (const std::string remark = remark_of(progress); !remark.empty()) {
      m_terminal.note(m_terminal.paint_note(Tone::faint, "    " + remark));
    }
    return;
  }
  if (!kept || rival) {
    return;
  }
  if (!m_best || progress.speedup >= m_best->speedup || progress.step == policy::k_final_step) {
    m_best = progress;
  }
  m_kept.push_back({progress_tone(progress), row_of(progress, scale)});
}

std::vector<Line> ClimbView::lines() const
{
  std::vector<Line> lines{{Tone::strong, bar_line(m_scale)},
                          {Tone::plain, fmt::format("now      {} ({:.0f} s)", m_now, seconds_since(m_now_since))},
                          {Tone::plain, best_line(m_best, m_scale)},
                          {Tone::plain, m_tuning.empty() ? "tuning   -" : m_tuning},
                          {is_busy(m_scale) ? Tone::warning : Tone::plain, "machine  " + load_text(m_scale)},
                          {Tone::strong, heading(m_scale)}};
  const std::size_t first = m_kept.size() - std::min(m_kept.size(), k_rows_shown);
  lines.insert(lines.end(), m_kept.begin() + static_cast<std::ptrdiff_t>(first), m_kept.end());
  lines.resize(lines.size() + k_rows_shown - (m_kept.size() - first));
  return lines;
}

void ClimbView::draw()
{
  m_terminal.show_block(lines());
}

void ClimbView::end()
{
  if (m_clock.joinable()) {
    m_clock.request_stop();
    m_clock.join();
  }
  const std::lock_guard lock(m_mutex);
  tell_trials(m_scale);
  if (!std::exchange(m_is_shown, false)) {
    return;
  }
  m_terminal.show_block({});
  m_terminal.note(m_terminal.paint_note(Tone::strong, m_terminal.fitted(heading(m_scale))));
  for (const Line& line : m_kept) {
    m_terminal.note(m_terminal.paint_note(line.tone, m_terminal.fitted(line.text)));
  }
}

} // namespace hone::cli
