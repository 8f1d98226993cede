// Work that takes longer than a call may: one job at a time, since times are measured on a quiet machine or not at all.
// (internal to the serve room)
#pragma once

#include "app/context.h"
#include "util/json.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hone::serve {

// What a job came to.
struct Outcome {
  std::string summary; // one or two sentences
  Json result;         // what a caller needs
  Json full = nullptr; // all of it, for a resource; null: there is no more
};

enum class JobState { queued, running, done, failed, cancelled };
std::string_view name_of(JobState state);

// A job as it stands.
struct JobView {
  std::string id; // "j1"
  std::string tool;
  std::string subject; // "matmul: scratch/mine"
  JobState state = JobState::queued;
  std::string message;            // what it is doing now
  std::string note;               // why it waits
  std::vector<std::string> lines; // steps that ended, warnings; the last ones
  std::int64_t changes = 0;       // grows with each of those
  double seconds = 0;             // since it began to run
  std::optional<Outcome> outcome; // of a job that is done, or stopped with something reached
  std::optional<Error> error;

  bool ended() const { return state != JobState::queued && state != JobState::running; }
};

class Jobs {
public:
  using Work = std::function<Result<Outcome>(app::Observer& observer, std::stop_token stop)>;

  Jobs();
  // Closes, and waits for the one that runs.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  std::string start(std::string tool, std::string subject, Work work);
  // Until it has ended, changed since `changes`, the time is over or a stop is requested. Nothing: there is no such
  // job.
  std::optional<JobView> wait(const std::string& id, std::int64_t changes, std::chrono::milliseconds time,
                              std::stop_token stop) const;
  std::optional<JobView> look(const std::string& id) const;
  bool cancel(const std::string& id); // false: there is no such job
  // Cancels all of them, and whatever is started from now on.
  void close();
  std::vector<JobView> list() const; // oldest first; of ended ones, the last few dozen

private:
  class Told;
  struct Job {
    JobView view;
    Work work;
    std::stop_source stop;
    std::chrono::steady_clock::time_point begin;
  };
  void run(const std::stop_token& ended);
  void forget_old_ones();
  JobView view_of(const Job& job) const;

  mutable std::mutex m_mutex;
  mutable std::condition_variable_any m_changed;
  std::map<std::int64_t, Job> m_jobs; // by number
  std::deque<std::int64_t> m_queue;
  std::int64_t m_last = 0;
  bool m_closed = false;
  std::jthread m_worker; // the last member: it uses the others
};

} // namespace hone::serve
