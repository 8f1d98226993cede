#include "execute/serial_executor.h"

#include <algorithm>
#include <optional>

namespace hone::execute {

struct SerialExecutor::Entry {
  JobId id = 0;
  record::Job job;
  JobListener listener;
  std::stop_source cancel = {};
  // Under the executor's lock:
  JobState state = JobState::waiting;
  std::optional<JobOutcome> outcome = {};
  bool awaited = false; // some thread takes the outcome

  void tell(JobState now, std::string_view phase = {}) const
  {
    if (listener) {
      listener({id, now, std::string(phase)});
    }
  }
};

namespace {

// What a job found before it was stopped may be half of an answer; that a candidate is correct is the whole of it.
JobOutcome after_cancel(JobOutcome outcome)
{
  if (outcome.record && outcome.record->verdict.status == record::Status::correct) {
    return outcome;
  }
  if (outcome.record) {
    outcome.record = fail("the job was stopped before its end");
  }
  outcome.cancelled = true;
  return outcome;
}

} // namespace

JobId SerialExecutor::submit(record::Job job, JobListener listener)
{
  auto entry = std::make_shared<Entry>();
  entry->job = std::move(job);
  entry->listener = std::move(listener);
  {
    const std::lock_guard lock(m_mutex);
    entry->id = ++m_last;
  }
  entry->tell(JobState::waiting); // before anybody can begin it
  const std::lock_guard lock(m_mutex);
  m_entries.push_back(entry);
  return entry->id;
}

std::shared_ptr<SerialExecutor::Entry> SerialExecutor::find(JobId id) const
{
  const auto found = std::ranges::find(m_entries, id, [](const auto& entry) { return entry->id; });
  return found == m_entries.end() ? nullptr : *found;
}

JobOutcome SerialExecutor::wait(JobId id)
{
  std::unique_lock lock(m_mutex);
  const std::shared_ptr<Entry> entry = find(id);
  if (!entry || std::exchange(entry->awaited, true)) {
    return {.record = fail("there is no such job, or somebody else waits for it")};
  }
  while (entry->state != JobState::ended) {
    if (m_working) {
      m_ended.wait(lock);
      continue;
    }
    const auto next =
      std::ranges::find(m_entries, JobState::waiting, [](const auto& waiting) { return waiting->state; });
    work(*next, lock);
  }
  std::erase(m_entries, entry);
  return std::move(*entry->outcome);
}

// The lock is held at the beginning and at the end, and not while the job runs.
void SerialExecutor::work(std::shared_ptr<Entry> entry, std::unique_lock<std::mutex>& lock)
{
  m_working = true;
  entry->state = JobState::running;
  lock.unlock();
  JobOutcome outcome{.record = fail("the job was cancelled"), .cancelled = true};
  {
    const std::stop_callback all(m_stop, [this_one = entry->cancel]() mutable { this_one.request_stop(); });
    const std::stop_token stop = entry->cancel.get_token();
    if (!stop.stop_requested()) {
      entry->tell(JobState::running);
      outcome = execute(entry->job, {stop, [entry](std::string_view phase) { entry->tell(JobState::running, phase); }});
      outcome = stop.stop_requested() ? after_cancel(std::move(outcome)) : std::move(outcome);
    }
  }
  entry->tell(JobState::ended);
  lock.lock();
  entry->outcome = std::move(outcome);
  entry->state = JobState::ended;
  m_working = false;
  m_ended.notify_all();
}

void SerialExecutor::cancel(JobId id)
{
  std::unique_lock lock(m_mutex);
  const std::shared_ptr<Entry> entry = find(id);
  lock.unlock();
  if (entry) {
    entry->cancel.request_stop();
  }
}

} // namespace hone::execute
