// Works on one job at a time, in the order of submission, on a thread that waits.
//
// There is no thread of its own: a job begins when somebody calls wait(). While that thread works on earlier jobs,
// other threads may submit, cancel and wait. The reason is the gate. It keeps freed memory for the next validation,
// which only works on the thread that the process began with, and it pins the thread that measures. A server calls
// wait() on its main thread and listens on others.
#pragma once

#include "execute/executor.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>

namespace hone::execute {

// What a job may look at and tell while it runs.
struct JobControl {
  std::stop_token stop; // requested: end as soon as possible
  std::function<void(std::string_view)> phase;
};

class SerialExecutor : public Executor {
public:
  JobId submit(record::Job job, JobListener listener = {}) final;
  JobOutcome wait(JobId id) final;
  void cancel(JobId id) final;

protected:
  // `stop` ends the job in flight and all that wait, as if each were cancelled.
  explicit SerialExecutor(std::stop_token stop = {}) : m_stop(std::move(stop)) {}
  // Carries out one job. Never called twice at the same time.
  virtual JobOutcome execute(const record::Job& job, const JobControl& control) = 0;

private:
  struct Entry;
  std::shared_ptr<Entry> find(JobId id) const;
  void work(std::shared_ptr<Entry> entry, std::unique_lock<std::mutex>& lock);

  std::stop_token m_stop;
  std::mutex m_mutex;
  std::condition_variable m_ended;
  std::deque<std::shared_ptr<Entry>> m_entries; // in the order of submission, until their outcome is taken
  JobId m_last = 0;
  bool m_working = false;
};

} // namespace hone::execute
