#include "policy/job_costs.h"

#include "policy/policy.h"

#include <algorithm>
#include <numeric>

namespace hone::policy {

namespace {

constexpr std::size_t k_recent = 3; // later candidates are faster, and so are their evaluations
constexpr double k_unknown_step_s = 1;
constexpr double k_unknown_trial_s = 0.5;
constexpr double k_unknown_comparison_s = 1.5;
constexpr double k_most_lost = 0.8;

// Sizes and values of a full check are so many that short checks say nothing about it. What the shipped kernels take.
double unknown_full_check_s(kernel::KernelClass kernel_class)
{
  switch (kernel_class) {
  case kernel::KernelClass::contraction:
  case kernel::KernelClass::products:
    return 6;
  case kernel::KernelClass::map:
    return 4;
  case kernel::KernelClass::row_reduction:
    return 12;
  case kernel::KernelClass::convolution:
    return 20;
  case kernel::KernelClass::general:
  case kernel::KernelClass::pooling:
  case kernel::KernelClass::recurrence:
    break;
  }
  return 8;
}

double mean_of_recent(const std::vector<double>& costs, double unknown)
{
  if (costs.empty()) {
    return unknown;
  }
  const std::size_t count = std::min(costs.size(), k_recent);
  return std::accumulate(costs.end() - static_cast<std::ptrdiff_t>(count), costs.end(), 0.0)
         / static_cast<double>(count);
}

double phase_s(const record::Verdict& verdict, const char* phase)
{
  const auto found = verdict.spent.find(phase);
  return found == verdict.spent.end() ? 0 : found->second;
}

} // namespace

JobCosts::JobCosts(kernel::KernelClass kernel_class, double lost_share)
  : m_unknown_full_check(unknown_full_check_s(kernel_class) / (1 - std::clamp(lost_share, 0.0, k_most_lost)))
{
}

void JobCosts::add(const record::Record& record, double wall_s, bool in_full)
{
  const double timing = std::min(wall_s, phase_s(record.verdict, "measure") + phase_s(record.verdict, "check"));
  const bool timed = record.verdict.status == record::Status::correct && timing > 0;
  if (timed && record.transformation != k_trial_step && record.transformation != k_start_step) {
    m_comparisons.push_back(timing);
  }
  if (in_full) {
    if (record.verdict.spent.contains("validate")) { // a check that was remembered has none
      m_full_check = std::max(m_full_check, wall_s - timing);
    }
    return;
  }
  (record.transformation == k_trial_step ? m_trials : m_steps).push_back(wall_s);
}

double JobCosts::step_s() const
{
  return mean_of_recent(m_steps, k_unknown_step_s);
}

double JobCosts::trial_s() const
{
  return mean_of_recent(m_trials, k_unknown_trial_s);
}

double JobCosts::writing_s() const
{
  return mean_of_recent(m_writing, k_unknown_step_s);
}

double JobCosts::comparison_s() const
{
  return mean_of_recent(m_comparisons, k_unknown_comparison_s);
}

double JobCosts::full_check_s() const
{
  return m_full_check > 0 ? m_full_check : m_unknown_full_check;
}

} // namespace hone::policy
