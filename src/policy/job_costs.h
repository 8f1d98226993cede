// What the jobs of a climb have cost so far, and from that what the next ones will. (internal to the policy room)
#pragma once

#include "kernel/kernel.h"
#include "record/record.h"

#include <vector>

namespace hone::policy {

class JobCosts {
public:
  // `lost_share`: of CPU time, that others take from us.
  explicit JobCosts(kernel::KernelClass kernel_class, double lost_share = 0);

  // `wall_s`: from the order to the record. `in_full`: whether it was validated so.
  void add(const record::Record& record, double wall_s, bool in_full);

  void add_writing(double wall_s) { m_writing.push_back(wall_s); } // of a step's code, by an engine

  // A candidate judged as while searching; a point of a tuning session.
  double step_s() const;
  double trial_s() const;
  double writing_s() const;
  // The timing of correct contenders.
  double comparison_s() const;
  // Build and validation in full, before the timing. Until one was seen this is a guess.
  double full_check_s() const;

private:
  double m_unknown_full_check;
  std::vector<double> m_steps, m_trials, m_comparisons, m_writing; // in order
  double m_full_check = 0;                                         // the longest that was seen; 0: none was
};

} // namespace hone::policy
