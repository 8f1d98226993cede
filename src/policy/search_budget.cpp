// What a climb may spend, and when its search has to end so that what follows fits.
#include "policy/search_run.h"
#include "policy/spent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::policy {

namespace {

constexpr double k_slow_start_s = 0.5;      // seconds per call
constexpr double k_calls_of_comparison = 2; // of the start, in the comparison that is published
constexpr double k_share_of_rivals = 0.15;  // of the budget, for rivals beyond the first
constexpr double k_most_reserved = 0.45;    // of the budget
constexpr std::array<std::string_view, 3> k_device_phases{"validate", "measure", "check"};

} // namespace

std::chrono::steady_clock::time_point SearchRun::now() const
{
  return m_context.clock ? m_context.clock() : std::chrono::steady_clock::now();
}

// Where the start is slow, the last comparison with it takes long; half of what is left is still for the search.
void SearchRun::leave_time_for_comparison(const record::Verdict& start)
{
  const auto& time = m_context.recipe.regime == record::Regime::cold ? start.cold : start.hot;
  if (!time || time->median < k_slow_start_s) {
    return;
  }
  m_slow_start_s = std::min(k_calls_of_comparison * time->median, std::max(search_seconds_left(), 0.0) / 2);
}

// The final comparison times both regimes. The first rival is waited for; the others get a share of the budget. A short
// budget is still spent on the search for a good part.
double SearchRun::reserve_s() const
{
  if (m_ends == Ends::with_search) {
    return 0;
  }
  const double comparison = m_costs.comparison_s();
  const double total = std::chrono::duration<double>(m_end - m_begin).count();
  double wanted = m_costs.full_check_s() + 2 * comparison + m_slow_start_s;
  if (m_context.rivals > 0) {
    wanted += comparison + std::min((m_context.rivals - 1) * comparison, k_share_of_rivals * total);
  }
  return std::min(wanted, k_most_reserved * total);
}

Result<void> SearchRun::add_spending(const record::Record& record)
{
  HONE_CHECK(book_time(m_context.workflow, record.verdict));
  return add_elapsed_time();
}

Result<void> SearchRun::add_elapsed_time()
{
  const auto until = now();
  m_wall_seconds += std::chrono::duration<double>(until - m_counted).count();
  m_counted = until;
  return m_context.workflow.remember(k_wall_seconds, fmt::format("{}", m_wall_seconds));
}

// The user can raise the limit and resume.
bool SearchRun::end_at_limits()
{
  const double wall_seconds = m_wall_seconds + std::chrono::duration<double>(now() - m_counted).count();
  if (m_end_reason.empty() && m_context.most_minutes && wall_seconds >= 60 * *m_context.most_minutes) {
    m_end_reason = fmt::format("the {} minutes of all runs together are spent (raise --max-minutes and resume)",
                               *m_context.most_minutes);
  }
  if (m_end_reason.empty() && m_context.most_device_seconds) {
    const auto spent = m_context.workflow.spent();
    double device_seconds = 0;
    for (const auto& [phase, seconds] : spent ? *spent : std::map<std::string, double>()) {
      const bool on_device = std::ranges::find(k_device_phases, phase) != k_device_phases.end();
      device_seconds += on_device ? seconds : 0;
    }
    if (device_seconds >= *m_context.most_device_seconds) {
      m_end_reason = fmt::format("the {} seconds of the device are spent (raise --max-device-seconds and resume)",
                                 *m_context.most_device_seconds);
    }
  }
  return !m_end_reason.empty();
}

bool SearchRun::end_if_due(double needed_s)
{
  const bool end = stop_requested() || end_at_limits() || search_seconds_left() <= needed_s;
  m_ended_early = m_ended_early || end;
  return end;
}

double SearchRun::step_s() const
{
  return m_costs.step_s() + (m_context.engine.is_cheap() ? 0 : m_costs.writing_s());
}

void SearchRun::end_if_engine_failed()
{
  if (const auto error = m_context.engine.permanent_failure()) {
    m_end_reason = error->message + (error->hint.empty() ? "" : " (" + error->hint + ")");
  }
}

bool SearchRun::has_time() const
{
  return !stop_requested() && now() < m_end;
}

double SearchRun::search_seconds_left() const
{
  return std::chrono::duration<double>(m_end - now()).count() - reserve_s();
}

} // namespace hone::policy
