#include "serve/jobs.h"

#include "policy/policy.h"
#include "record/record.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::serve {

namespace {

constexpr std::size_t k_most_kept = 64;
constexpr std::size_t k_most_lines = 40;

std::int64_t number_of(const std::string& id)
{
  std::int64_t number = 0;
  const bool named = id.starts_with('j');
  const auto [end, error] = std::from_chars(id.data() + (named ? 1 : 0), id.data() + id.size(), number);
  return named && error == std::errc() && end == id.data() + id.size() ? number : 0;
}

std::string step_line(const policy::Progress& progress)
{
  std::string line = progress.step + ": " + progress.status;
  if (progress.record && !progress.record->verdict.comparisons.empty()) {
    const record::ComparisonResult& comparison = progress.record->verdict.comparisons.front();
    line += fmt::format(", {} {:.3f}x", record::name_of(comparison.verdict), comparison.ratio);
  }
  if (progress.speedup > 0) {
    line += fmt::format(", {:.2f}x the start", progress.speedup);
  }
  if (progress.accepted) {
    line += ", kept";
  }
  return progress.note.empty() ? line : line + "; " + progress.note;
}

} // namespace

std::string_view name_of(JobState state)
{
  constexpr std::string_view k_names[] = {"queued", "running", "done", "failed", "cancelled"};
  return k_names[static_cast<std::size_t>(state)];
}

// What a use case tells becomes the job's progress.
class Jobs::Told final : public app::Observer {
public:
  Told(Jobs& jobs, std::int64_t number) : m_jobs(jobs), m_number(number) {}
  void note(std::string_view text) override { line(std::string(text)); }
  void warning(std::string_view text) override { line("warning: " + std::string(text)); }
  void status(std::string_view text) override { now(std::string(text)); }
  void climb_step(const policy::Progress& progress, const app::ClimbScale&) override
  {
    progress.finished ? line(step_line(progress)) : now(progress.step + ": " + progress.status);
  }

private:
  template <class Change> void change(Change&& change)
  {
    {
      const std::lock_guard lock(m_jobs.m_mutex);
      JobView& view = m_jobs.m_jobs.at(m_number).view;
      change(view);
      ++view.changes;
    }
    m_jobs.m_changed.notify_all();
  }
  void now(std::string text)
  {
    change([&](JobView& view) { view.message = std::move(text); });
  }
  void line(std::string text)
  {
    change([&](JobView& view) {
      view.lines.push_back(std::move(text));
      if (view.lines.size() > k_most_lines) {
        view.lines.erase(view.lines.begin());
      }
    });
  }

  Jobs& m_jobs;
  std::int64_t m_number;
};

Jobs::Jobs() : m_worker([this](const std::stop_token& ended) { run(ended); }) {}

void Jobs::close()
{
  std::vector<std::string> open;
  {
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    for (const auto& [number, job] : m_jobs) {
      if (!job.view.ended()) {
        open.push_back(job.view.id);
      }
    }
  }
  for (const std::string& id : open) {
    cancel(id);
  }
}

Jobs::~Jobs()
{
  close();
  m_worker.request_stop();
  m_changed.notify_all();
  m_worker.join();
}

std::string Jobs::start(std::string tool, std::string subject, Work work)
{
  const std::lock_guard lock(m_mutex);
  Job& job = m_jobs[++m_last];
  job.view.id = fmt::format("j{}", m_last);
  job.view.tool = std::move(tool);
  job.view.subject = std::move(subject);
  if (m_closed) {
    job.view.state = JobState::cancelled;
    return job.view.id;
  }
  job.view.message = "queued";
  job.work = std::move(work);
  const auto busy = std::ranges::find_if(m_jobs, [](const auto& entry) { return !entry.second.view.ended(); });
  if (busy->first != m_last) {
    job.view.note = fmt::format("waits for {} ({}): one job at a time, since times are measured on a quiet machine",
                                busy->second.view.id, busy->second.view.tool);
  }
  m_queue.push_back(m_last);
  forget_old_ones();
  m_changed.notify_all();
  return job.view.id;
}

void Jobs::forget_old_ones()
{
  for (auto job = m_jobs.begin(); job != m_jobs.end() && m_jobs.size() > k_most_kept;) {
    job = job->second.view.ended() ? m_jobs.erase(job) : std::next(job);
  }
}

void Jobs::run(const std::stop_token& ended)
{
  while (!ended.stop_requested()) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, ended, [this] { return !m_queue.empty(); });
    if (m_queue.empty()) {
      return;
    }
    const std::int64_t number = m_queue.front();
    m_queue.pop_front();
    Job& job = m_jobs.at(number); // not forgotten before it has ended
    if (job.stop.stop_requested()) {
      continue; // cancel() has told so
    }
    job.view.state = JobState::running;
    job.view.note.clear();
    job.view.message = "begins";
    ++job.view.changes;
    job.begin = std::chrono::steady_clock::now();
    const Work work = std::move(job.work);
    const std::stop_token stop = job.stop.get_token();
    lock.unlock();
    m_changed.notify_all();

    Told observer(*this, number);
    Result<Outcome> outcome = [&]() -> Result<Outcome> {
      try {
        return work(observer, stop);
      } catch (const std::exception& bug) { // the server goes on
        return fail(fmt::format("a fault of Hone: {}", bug.what()), "please report it, with what was asked for");
      }
    }();

    lock.lock();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - job.begin;
    job.view.seconds = taken.count();
    job.view.message.clear();
    job.view.state = stop.stop_requested() ? JobState::cancelled : outcome ? JobState::done : JobState::failed;
    if (outcome) {
      job.view.outcome = std::move(*outcome);
    } else {
      job.view.error = std::move(outcome.error());
    }
    ++job.view.changes;
    lock.unlock();
    m_changed.notify_all();
  }
}

JobView Jobs::view_of(const Job& job) const
{
  JobView view = job.view;
  if (view.state == JobState::running) {
    view.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - job.begin).count();
  }
  return view;
}

std::optional<JobView> Jobs::wait(const std::string& id, std::int64_t changes, std::chrono::milliseconds time,
                                  std::stop_token stop) const
{
  const std::int64_t number = number_of(id);
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, stop, time, [&] {
    const auto job = m_jobs.find(number);
    return job == m_jobs.end() || job->second.view.ended() || job->second.view.changes > changes;
  });
  const auto job = m_jobs.find(number);
  return job == m_jobs.end() ? std::nullopt : std::optional(view_of(job->second));
}

std::optional<JobView> Jobs::look(const std::string& id) const
{
  const std::lock_guard lock(m_mutex);
  const auto job = m_jobs.find(number_of(id));
  return job == m_jobs.end() ? std::nullopt : std::optional(view_of(job->second));
}

bool Jobs::cancel(const std::string& id)
{
  std::stop_source stop(std::nostopstate);
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_jobs.find(number_of(id));
    if (found == m_jobs.end()) {
      return false;
    }
    Job& job = found->second;
    stop = job.stop;
    if (job.view.state == JobState::queued) {
      std::erase(m_queue, found->first);
      job.view.state = JobState::cancelled;
      job.view.message.clear();
      job.view.note.clear();
      job.work = nullptr;
      ++job.view.changes;
    }
  }
  stop.request_stop(); // not under the lock: whom it tells may tell us
  m_changed.notify_all();
  return true;
}

std::vector<JobView> Jobs::list() const
{
  const std::lock_guard lock(m_mutex);
  std::vector<JobView> views;
  for (const auto& [number, job] : m_jobs) {
    views.push_back(view_of(job));
  }
  return views;
}

} // namespace hone::serve
